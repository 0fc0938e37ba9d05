/* Sockets that one process hands to another: descriptors over a Unix socket, channels of the JDK over descriptors, and who is at the
 * other end. And the datagram by which a service manager learns how a process is. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 64, MOST_OCTETS = 4096 };

/* For a peer that takes nothing, and for a service manager whose queue is full. */
enum { WRITE_PATIENCE_MS = 10000, TELL_PATIENCE_S = 5 };

static void fail_as(JNIEnv *env, const char *what)
{
    jclass type = (*env)->FindClass(env, "java/io/IOException");
    if (type != NULL)
        (*env)->ThrowNew(env, type, what);
}

static void fail(JNIEnv *env)
{
    char text[128];
    fail_as(env, strerror_r(errno, text, sizeof text));
}

/* The descriptor is what sun.nio.ch.SelChImpl calls getFDVal, which every channel of a socket implements; -1 with an exception. */
static int descriptor_of(JNIEnv *env, jobject channel)
{
    jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, channel), "getFDVal", "()I");
    return method == NULL ? -1 : (*env)->CallIntMethod(env, channel, method);
}

/* A stream that is listened on already; its family is written to where it points. */
static int is_listening(int fd, int *family)
{
    int type = 0, listens = 0;
    socklen_t size = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
        return 0;
    size = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0)
        return 0;
    size = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, family, &size) != 0)
        return 0;
    return type == SOCK_STREAM && listens;
}

/*
 * The JDK's own channel over a descriptor, as it makes one for what inetd hands it: its constructor asks the kernel for the address. No
 * public way leads there, and a channel that was bound elsewhere and has its descriptor replaced would go on telling the other address.
 */
JNIEXPORT jobject JNICALL Java_io_remora_transport_Descriptors_channel(JNIEnv *env, jclass unused, jint fd, jobject provider, jobject inet, jobject local)
{
    (void)unused;
    int family = 0;
    if (!is_listening(fd, &family) || (family != AF_INET && family != AF_INET6 && family != AF_UNIX)) {
        fail_as(env, "a descriptor is no socket that is listened on");
        return NULL;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    jclass io = (*env)->FindClass(env, "sun/nio/ch/IOUtil");
    jmethodID wrap = io == NULL ? NULL : (*env)->GetStaticMethodID(env, io, "newFD", "(I)Ljava/io/FileDescriptor;");
    jclass type = wrap == NULL ? NULL : (*env)->FindClass(env, "sun/nio/ch/ServerSocketChannelImpl");
    jmethodID make = type == NULL ? NULL : (*env)->GetMethodID(env, type, "<init>",
        "(Ljava/nio/channels/spi/SelectorProvider;Ljava/net/ProtocolFamily;Ljava/io/FileDescriptor;Z)V");
    jobject wrapped = make == NULL ? NULL : (*env)->CallStaticObjectMethod(env, io, wrap, fd);
    if (wrapped == NULL || (*env)->ExceptionCheck(env))
        return NULL;
    return (*env)->NewObject(env, type, make, provider, family == AF_UNIX ? local : inet, wrapped, JNI_TRUE);
}

/* Whether the peer has taken so much within a time that more can be written; with an exception where not. */
static int has_room(JNIEnv *env, int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int ready = poll(&wait, 1, WRITE_PATIENCE_MS);
    if (ready > 0 || (ready < 0 && errno == EINTR))
        return 1;
    if (ready == 0)
        fail_as(env, "the other process takes nothing");
    else
        fail(env);
    return 0;
}

/* Writes all of it, the descriptor of a channel with its first octet where there is one. */
JNIEXPORT void JNICALL Java_io_remora_transport_Descriptors_write(JNIEnv *env, jclass unused, jobject channel, jbyteArray text, jobject passed)
{
    (void)unused;
    int fd = descriptor_of(env, channel);
    int given = fd < 0 || passed == NULL ? -1 : descriptor_of(env, passed);
    if ((*env)->ExceptionCheck(env))
        return;
    char octets[MOST_OCTETS];
    jsize length = (*env)->GetArrayLength(env, text);
    if (length > MOST_OCTETS) {
        fail_as(env, "too long");
        return;
    }
    (*env)->GetByteArrayRegion(env, text, 0, length, (jbyte *)octets);
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    size_t sent = 0;
    while (sent < (size_t)length) {
        struct iovec piece = {octets + sent, (size_t)length - sent};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
        if (sent == 0 && given >= 0) {
            message.msg_control = &control;
            message.msg_controllen = sizeof control;
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(header), &given, sizeof given);
        }
        ssize_t count = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!has_room(env, fd))
                return;
            continue;
        }
        if (count < 0) {
            fail(env);
            return;
        }
        sent += (size_t)count;
    }
}

/* Puts down the descriptors of one message behind those that are there; closes those for which there is no room. */
static jint take(JNIEnv *env, struct msghdr *message, jintArray into, jint taken)
{
    jsize room = (*env)->GetArrayLength(env, into);
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            if (taken < room) {
                jint value = fd;
                (*env)->SetIntArrayRegion(env, into, taken++, 1, &value);
            } else {
                (void)close(fd);
            }
        }
    }
    return taken;
}

/*
 * Reads once, for so long at the most. Returns how many octets came, -1 at the end and 0 where nothing did; how many descriptors came is
 * written to counted[0].
 */
JNIEXPORT jint JNICALL Java_io_remora_transport_Descriptors_read(
    JNIEnv *env, jclass unused, jobject channel, jbyteArray text, jintArray descriptors, jintArray counted, jint patience)
{
    (void)unused;
    int fd = descriptor_of(env, channel);
    if (fd < 0)
        return -1;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready = poll(&wait, 1, patience);
    if (ready < 0 && errno != EINTR) {
        fail(env);
        return -1;
    }
    if (ready <= 0)
        return 0;
    char octets[MOST_OCTETS];
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
    } control;
    jsize length = (*env)->GetArrayLength(env, text);
    struct iovec piece = {octets, length < MOST_OCTETS ? (size_t)length : MOST_OCTETS};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (count < 0) {
        if (errno == EINTR)
            return 0;
        /* it has ended before it has read everything */
        if (errno != ECONNRESET)
            fail(env);
        return -1;
    }
    jint taken = take(env, &message, descriptors, 0);
    (*env)->SetIntArrayRegion(env, counted, 0, 1, &taken);
    if (message.msg_flags & MSG_CTRUNC) {
        fail_as(env, "a descriptor that was handed over could not be taken, as this process has too many open");
        return -1;
    }
    (*env)->SetByteArrayRegion(env, text, 0, (jsize)count, (const jbyte *)octets);
    return count == 0 ? -1 : (jint)count;
}

/* Whether the process at the other end is this one's user, or root. */
JNIEXPORT jboolean JNICALL Java_io_remora_transport_Descriptors_isOwn(JNIEnv *env, jclass unused, jobject channel)
{
    (void)unused;
    int fd = descriptor_of(env, channel);
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return JNI_FALSE;
    return peer.uid == geteuid() || peer.uid == 0;
}

JNIEXPORT void JNICALL Java_io_remora_transport_Descriptors_close(JNIEnv *env, jclass unused, jint fd)
{
    (void)env;
    (void)unused;
    (void)close(fd);
}

/* One datagram, to a path or, behind an @, to an abstract name. */
JNIEXPORT void JNICALL Java_io_remora_transport_Descriptors_tell(JNIEnv *env, jclass unused, jbyteArray name, jbyteArray text)
{
    (void)unused;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    char octets[MOST_OCTETS];
    jsize named = (*env)->GetArrayLength(env, name);
    jsize length = (*env)->GetArrayLength(env, text);
    if (named < 1 || (size_t)named >= sizeof to.sun_path || length > MOST_OCTETS) {
        fail_as(env, "too long");
        return;
    }
    (*env)->GetByteArrayRegion(env, name, 0, named, (jbyte *)to.sun_path);
    (*env)->GetByteArrayRegion(env, text, 0, length, (jbyte *)octets);
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)named);
    struct timeval patience = {.tv_sec = TELL_PATIENCE_S};
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ssize_t sent = -1;
    do {
        sent = fd < 0 ? -1 : sendto(fd, octets, (size_t)length, MSG_NOSIGNAL, (struct sockaddr *)&to, size);
    } while (fd >= 0 && sent < 0 && errno == EINTR);
    if (sent < 0)
        fail(env);
    if (fd >= 0)
        (void)close(fd);
}
