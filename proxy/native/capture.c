/* Where a connection was to go before the kernel redirected it here: the destination that its tracking of connections has kept. */
#define _GNU_SOURCE
#include <jni.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* linux/netfilter_ipv4.h and linux/netfilter_ipv6/ip6_tables.h, which the compiler's packages need not have. */
#define ORIGINAL_DST 80

/* Whether an address of IPv6 stands for one of IPv4, by which the kernel tracks the connection. */
static int is_v4(const struct sockaddr_storage *own)
{
    return own->ss_family == AF_INET
        || (own->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)own)->sin6_addr));
}

/* Writes the address, of 4 or 16 octets, and returns how many these are above the 16 bits of the port; -1 where there is none. */
static jint original(JNIEnv *env, int fd, jbyteArray into)
{
    struct sockaddr_storage found;
    socklen_t length = sizeof found;
    if (getsockname(fd, (struct sockaddr *)&found, &length) != 0)
        return -1;
    int v4 = is_v4(&found);
    length = sizeof found;
    if (getsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, ORIGINAL_DST, &found, &length) != 0)
        return -1;
    if (v4) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&found;
        (*env)->SetByteArrayRegion(env, into, 0, 4, (const jbyte *)&in->sin_addr);
        return 4 << 16 | ntohs(in->sin_port);
    }
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&found;
    (*env)->SetByteArrayRegion(env, into, 0, 16, (const jbyte *)&in6->sin6_addr);
    return 16 << 16 | ntohs(in6->sin6_port);
}

/* The descriptor is what sun.nio.ch.SelChImpl calls getFDVal, which every channel of a socket implements. */
JNIEXPORT jint JNICALL Java_io_remora_transport_OriginalDestination_ask(JNIEnv *env, jclass type, jobject channel, jbyteArray into)
{
    (void)type;
    jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, channel), "getFDVal", "()I");
    if (method == NULL) {
        (*env)->ExceptionClear(env);
        return -1;
    }
    jint fd = (*env)->CallIntMethod(env, channel, method);
    return original(env, fd, into);
}
