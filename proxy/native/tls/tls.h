/* The binding to a library, without JNI: contexts, which hold what a listener or a cluster configures, and connections, which turn content into
 * records and back. jni.c calls it for Java, the programs in test/ call it directly. The library is OpenSSL or AWS-LC, which has most of OpenSSL's
 * functions; library.h has what differs. Where a comment says OpenSSL, it holds for both.
 *
 * Threads: a context is made by one thread and then shared; what changes in it later has its lock. A connection belongs to one thread.
 * Nothing here waits, calls Java, or keeps a pointer into a caller's buffer beyond the call. What OpenSSL has to say of a failure stays in
 * the connection or in the caller's tls_error: its queue of errors is empty after each call. */
#ifndef REMORA_TLS_H
#define REMORA_TLS_H

#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
    TLS_ERROR_LENGTH = 256,
    /* The most that TLS 1.2 adds to a record (header, IV, padding, a MAC of 48), and what an answer to a KeyUpdate takes before it. */
    TLS_RECORD_OVERHEAD = 96,
    TLS_BEFORE_RECORDS = 64,
    /* OpenSSL makes room for the whole of a hello when it has seen its length. A ticket in it may hold a client's certificate, and of AWS-LC its
     * whole chain, which is why none there is above TLS_TICKET_OCTETS. A hello to AWS-LC may have 16 KiB only, where no certificate is asked for. */
    TLS_HELLO_OCTETS = 32 * 1024,
    TLS_TICKET_OCTETS = 12 * 1024,
    TLS_CHAIN_DEPTH = 8,
    TLS_CHAIN_OCTETS = 100 * 1024,
    /* The largest flight holds the chain, and on a server the names of whom it trusts. */
    TLS_FLIGHT_OCTETS = 256 * 1024,
    /* Steps of OpenSSL's state machine for KeyUpdates and session tickets without content between them. A KeyUpdate takes two or three, and five where
     * it asks for another: 38 in a row of these are taken, and at least 64 of the others. */
    TLS_IDLE_STEPS = 192,
    /* names of trusted authorities that a server tells its clients, who may have several certificates to choose from */
    TLS_TOLD_AUTHORITIES = 32,
    /* of a client, and of them those with one peer */
    TLS_KEPT_SESSIONS = 16,
    TLS_KEPT_WITH_PEER = 4,
    TLS_TICKET_NAME = 16,
    TLS_TICKET_KEY = 32,
    TLS_DIGEST = 32
};

/* Why a connection failed. The numbers are those of OpenSslSession. */
enum tls_failure {
    TLS_FAILURE_NONE = 0,
    TLS_FAILURE_PROTOCOL = 1,
    TLS_FAILURE_PLAIN_HTTP = 2,
    TLS_FAILURE_NOTHING_IN_COMMON = 3,
    TLS_FAILURE_CERTIFICATE_MISSING = 4,
    TLS_FAILURE_CERTIFICATE_UNTRUSTED = 5,
    TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW = 6,
    TLS_FAILURE_CERTIFICATE_NAME = 7,
    TLS_FAILURE_ALERT = 8,
    TLS_FAILURE_RENEGOTIATION = 9,
    TLS_FAILURE_CLOSED = 10,
    TLS_FAILURE_INTERNAL = 11,
    TLS_FAILURE_CERTIFICATE_REVOKED = 12,
    TLS_FAILURE_REVOCATION_UNKNOWN = 13
};

/* A place in a stack of the library's, and one of its errors. */
#ifdef OPENSSL_IS_AWSLC
typedef size_t tls_place;
typedef uint32_t tls_code;
#else
typedef int tls_place;
typedef unsigned long tls_code;
#endif

/* What is wrong, in words. */
typedef struct {
    char text[TLS_ERROR_LENGTH];
} tls_error;

typedef struct tls_name {
    struct tls_name *next;
    /* who answers it, for a name that clients ask for */
    struct tls_context *answers;
    char text[];
} tls_name;

/* A key of the tickets, and since when it encrypts. */
typedef struct {
    unsigned char name[TLS_TICKET_NAME], cipher[TLS_TICKET_KEY], mac[TLS_TICKET_KEY];
    time_t since;
} tls_ticket_key;

/* What a client may resume, with whom, and when it last verified the peer's chain. */
typedef struct {
    SSL_SESSION *session;
    uint64_t peer;
    time_t verified;
} tls_kept;

/* When a certificate is valid, in seconds since 1970. */
typedef struct {
    int64_t begins, ends;
} tls_dates;

/* A chain as it is shown to a context, and when: SHA-256 over all that decides whether it passes, but for the time. */
typedef struct {
    unsigned char key[TLS_DIGEST];
    int64_t since;
} tls_chain;

typedef struct tls_context {
    SSL_CTX *ssl;
    atomic_int references;
    bool is_server;
    /* with what is trusted and the lists, by a context that this one answers for or that answers for this one; they stay as they are then */
    bool is_shared;
    /* names that the peer must have one of; none is enough where there are none */
    tls_name *hosts, *uris;
    /* what is revoked; NULL where that is not looked at */
    STACK_OF(X509_CRL) *lists;
    /* SHA-256 over the certificates that are trusted and over the lists, each in their order; of other material they are others */
    unsigned char trusted[TLS_DIGEST], listed[TLS_DIGEST];
    /* names that clients ask for, and the contexts that answer them, each held by its name */
    tls_name *served;
    /* ALPN names, each behind its length */
    unsigned char *protocols;
    unsigned protocols_length;
    /* how long a ticket serves; 0 where there are none */
    long lifetime_s;
    unsigned char session_id[SSL_MAX_SID_CTX_LENGTH];
    unsigned session_id_length;
    pthread_mutex_t lock;
    /* below: under the lock. The second key is the one before. */
    tls_ticket_key keys[2];
    /* the oldest first */
    tls_kept kept[TLS_KEPT_SESSIONS];
    size_t kept_count;
} tls_context;

typedef struct {
    SSL *ssl;
    /* the context that it was made with, held, and the one that answers, which the former holds */
    tls_context *first, *answers;
    /* the buffers of the call in progress */
    const unsigned char *in;
    size_t in_left;
    unsigned char *out;
    size_t out_left;
    /* what is to go out and has had no buffer yet */
    unsigned char *flight;
    size_t flight_length, flight_room;
    char *reason;
    enum tls_failure failure;
    unsigned idle_steps;
    /* of the record that has not come whole: octets so far, and its length as far as it is known */
    unsigned record_octets, record_length;
    unsigned char record_type;
    /* of a server: the header of the hello that comes, what of it is still to come, and how many have been looked at */
    unsigned char hello[4];
    unsigned hello_header, hello_left, hellos;
    time_t verified;
    /* of a client: the address that it is connected to, as a number that another address may have too; 0 for none */
    uint64_t peer;
    /* why the peer's certificate does not pass, as the X509_V_ERR_ of it */
    int unverified;
    bool is_established, is_input_closed, is_output_closed, is_renegotiated;
} tls_connection;

/* start.c: once for the process, before anything else. */
bool tls_start(tls_error *error);
/* Octets that OpenSSL and this binding have allocated; -1 where somebody used OpenSSL before, so that they are not counted. */
int64_t tls_allocated(void);
/* For the allocator of the library: what it has taken and given. */
void tls_count(size_t taken, size_t given);

/* error.c */
/* Empties the queue, as the library's functions need it before each call. It is almost always empty, and to see that is cheaper than to clear it. */
void tls_forget_errors(void);
/* Says what failed with the first error of the queue, empties it, and returns false. */
bool tls_fail(tls_error *error, const char *what);
/* Fails the connection with what the queue says, unless it has failed before, and empties the queue. */
void tls_connection_fail(tls_connection *connection);
void tls_connection_fail_with(tls_connection *connection, enum tls_failure failure, const char *reason);

/* context.c; names of ciphers and groups are IANA's, with colons between. */
tls_context *tls_context_new(bool is_server, tls_error *error);
tls_context *tls_context_hold(tls_context *context);
void tls_context_release(tls_context *context);
bool tls_context_versions(tls_context *context, int least, int most, tls_error *error);
bool tls_context_ciphers(tls_context *context, const char *names, tls_error *error);
bool tls_context_groups(tls_context *context, const char *names, tls_error *error);
bool tls_context_protocols(tls_context *context, const unsigned char *names, size_t length, tls_error *error);
/* Asks the peer for a certificate, and does without only where it is not required. */
void tls_context_ask(tls_context *context, bool is_required);
bool tls_name_add(tls_name **names, const char *text);
void tls_names_free(tls_name *names);

/* credentials.c: DER. The own certificate comes first, then those above it, then the key as PKCS#8. */
bool tls_context_certificate(tls_context *context, const unsigned char *der, size_t length, bool is_own, tls_error *error);
bool tls_context_key(tls_context *context, const unsigned char *der, size_t length, tls_error *error);
bool tls_context_trust(tls_context *context, const unsigned char *der, size_t length, tls_error *error);

/* identity.c */
int tls_verify(X509_STORE_CTX *store, void *context);
bool tls_seconds_of(const ASN1_TIME *at, int64_t *seconds);
bool tls_dates_of(X509 *certificate, tls_dates *dates);
/* Tells whether a certificate that was verified in a full handshake would still pass, as to its names and its time; NULL for a peer that has shown
 * none. What is revoked was looked up then, in the lists that the context has for good; this says no where one of these is outdated. */
bool tls_is_still_valid(const tls_context *context, X509 *certificate);
/* The same for a certificate that is not at hand, but its dates are: a context that expects names takes none then. */
bool tls_is_valid_by_dates(const tls_context *context, const tls_dates *dates, X509 *certificate);

/* revocation.c: lists in DER, complete ones as RevocationList has judged them. */
bool tls_context_list(tls_context *context, const unsigned char *der, size_t length, tls_error *error);
/* Once for each context that answers, however many names it has. */
bool tls_lists_share(const tls_context *from, tls_context *to);
void tls_lists_free(tls_context *context);
bool tls_lists_are_current(const tls_context *context);
/* Of a path that has been verified, the peer's certificate first: X509_V_OK, or why it does not pass. */
int tls_lists_judge(const tls_context *context, const STACK_OF(X509) *path);
/* Lowers a time to the next one after since at which a list begins or ends to count; false where a time cannot be read. */
bool tls_lists_change(const tls_context *context, int64_t since, int64_t *until);

/* verified.c: chains that have passed, of all contexts. */
/* Adds octets to the digest of those before them. */
bool tls_digest_add(unsigned char *digest, const unsigned char *octets, size_t length);
/* Once before a chain is verified, as the time counts; false where it cannot be remembered. */
bool tls_chain_of(const tls_context *context, X509_STORE_CTX *store, tls_chain *asked);
bool tls_chain_has_passed(const tls_chain *asked);
/* Remembers a chain that has passed by this path, all but its names. */
void tls_chain_passes(const tls_context *context, const STACK_OF(X509) *path, const tls_chain *asked);

/* sessions.c: resumption by tickets. A server's keys are drawn here and replaced after each lifetime. */
bool tls_is_within(time_t since, time_t now, long seconds);
/* Copies the key to encrypt with, or the one of that name: 1, or 2 for the one before, or 0 for none. */
int tls_find_key(tls_context *context, const unsigned char *name, tls_ticket_key *found);
bool tls_context_resume(tls_context *context, const unsigned char *id, size_t length, long lifetime_s, tls_error *error);
/* Has a client's connection resume the newest session with its peer, which serves no other then. */
void tls_connection_resume(tls_connection *connection);
/* Keeps a session of a client's, which is the context's then. */
void tls_connection_keep(const tls_connection *connection, SSL_SESSION *session);
void tls_sessions_free(tls_context *context);

/* hello.c: certificates by the name that the client asks for, exact or "*." for one label. Whom a context trusts, and its lists, are those of the one
 * that it answers for, which takes no more of them then. */
bool tls_context_serve(tls_context *context, const char *name, tls_context *answers, tls_error *error);
int tls_on_hello(SSL *ssl, int *alert, void *unused);

/* buffers.c */
bool tls_buffers_start(void);
BIO *tls_buffers_new(tls_connection *connection);

/* connection.c; server_name may be NULL. */
tls_connection *tls_connection_new(tls_context *context, const char *server_name, tls_error *error);
void tls_connection_free(tls_connection *connection);
/* Says to whom a client is connected, before it starts. Each endpoint of a cluster has keys of its own for tickets, mostly. */
void tls_connection_towards(tls_connection *connection, uint64_t peer);
/* Begins the handshake of a client. */
void tls_connection_start(tls_connection *connection);
/* Takes all that has come, and returns how much content came out of it; room for as much as came and record_octets is enough. */
size_t tls_connection_decrypt(tls_connection *connection, const void *in, size_t length, void *content, size_t room);
/* Puts the flight and records of all the content into out, and returns their length; room for tls_connection_wire_room is enough. */
size_t tls_connection_encrypt(tls_connection *connection, const void *content, size_t length, void *out, size_t room);
size_t tls_connection_wire_room(const tls_connection *connection, size_t length);
/* Moves up to room octets of the flight into out, and returns how many. */
size_t tls_connection_take_flight(tls_connection *connection, void *out, size_t room);
void tls_connection_close(tls_connection *connection);
void tls_on_event(const SSL *ssl, int event, int value);
/* The certificate of the peer at place, its own first; NULL behind the last. Still the connection's. */
X509 *tls_connection_peer(const tls_connection *connection, size_t place);
/* The certificate that this side shows; NULL where it has none. Still the connection's. */
X509 *tls_connection_own(const tls_connection *connection);

#endif
