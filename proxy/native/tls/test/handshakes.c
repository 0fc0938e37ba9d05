/* Handshakes that succeed and that fail, resumption, content, floods, and whether all of its memory is freed.
 *   handshakes FOLDER ROUNDS */
#include "check.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

static void send_content(tls_connection *from, tls_connection *to, size_t length, size_t chunk)
{
    size_t room = tls_connection_wire_room(from, length), done = 0, read = 0;
    unsigned char *content = malloc(length), *wire = malloc(room), *back = malloc(length + 20000);
    CHECK(content != NULL && wire != NULL && back != NULL);
    for (size_t i = 0; i < length; i++)
        content[i] = (unsigned char)(i * 31);
    size_t made = tls_connection_encrypt(from, content, length, wire, room);
    CHECK(made > length && made <= room && from->failure == TLS_FAILURE_NONE);
    while (done < made) {
        size_t part = chunk == 0 || chunk > made - done ? made - done : chunk;
        read += feed(to, wire + done, part, back + read, length + 20000 - read);
        done += part;
    }
    CHECK(read == length && memcmp(content, back, length) == 0);
    CHECK(to->record_octets == 0);
    free(content);
    free(wire);
    free(back);
}

static void close_both(pair *both)
{
    tls_connection_close(both->client);
    talk(both);
    CHECK(both->server->is_input_closed && !both->client->is_input_closed);
    /* the other direction goes on */
    send_content(both->server, both->client, 100, 0);
    tls_connection_close(both->server);
    talk(both);
    CHECK(both->client->is_input_closed);
}

static void tell(const pair *both)
{
    fprintf(stderr, "client: %d %s, server: %d %s\n", both->client->failure, both->client->reason, both->server->failure, both->server->reason);
}

static void succeeds(tls_context *client, tls_context *server, const char *name, size_t chunk, bool is_resumed)
{
    pair both = new_pair(client, server, name);
    both.chunk = chunk;
    talk(&both);
    if (!both.client->is_established || !both.server->is_established)
        tell(&both);
    CHECK(both.client->is_established && both.server->is_established);
    CHECK((SSL_session_reused(both.client->ssl) == 1) == is_resumed);
    CHECK(tls_connection_peer(both.client, 0) != NULL);
    send_content(both.client, both.server, 100000, chunk);
    send_content(both.server, both.client, 16384, chunk);
    close_both(&both);
    free_pair(&both);
}

/* Reasons on the client's side and on the server's. */
static void fails(tls_context *client, tls_context *server, const char *name, enum tls_failure at_client, enum tls_failure at_server)
{
    pair both = new_pair(client, server, name);
    talk(&both);
    if (both.client->failure != at_client || both.server->failure != at_server)
        tell(&both);
    CHECK(both.client->failure == at_client && both.server->failure == at_server);
    CHECK(tls_connection_encrypt(both.server, "x", 1, both.to_client, 1000) == 0);
    free_pair(&both);
}

static void resumes(int version)
{
    tls_context *server = new_context(true, "server", "ca", version), *client = new_context(false, "client", "ca", version);
    CHECK(tls_name_add(&client->hosts, "one.example.com"));
    succeeds(client, server, "one.example.com", 0, false);
    succeeds(client, server, "one.example.com", 0, true);
    succeeds(client, server, "one.example.com", 1, true);
    succeeds(client, server, "one.example.com", 7, true);
    /* another set of tickets, as after a rotation */
    tls_context *other = new_context(true, "server", "ca", version);
    succeeds(client, other, "one.example.com", 0, false);
    /* verified too long ago, on either side */
    server->lifetime_s = 0;
    succeeds(client, other, "one.example.com", 0, true);
    other->lifetime_s = 0;
    succeeds(client, other, "one.example.com", 0, false);
    other->lifetime_s = 3600;
    client->lifetime_s = 0;
    succeeds(client, other, "one.example.com", 0, false);
    tls_context_release(other);
    tls_context_release(server);
    tls_context_release(client);
}

static bool resumes_with(tls_context *client, tls_context *server, uint64_t peer)
{
    pair both = new_pair_towards(client, server, NULL, peer);
    talk(&both);
    CHECK(both.client->is_established && both.server->is_established);
    bool is_resumed = SSL_session_reused(both.client->ssl) == 1;
    free_pair(&both);
    return is_resumed;
}

/* The endpoints of a cluster have tickets of their own: each is offered its own ones, and one that is gone takes no room from the others. */
static void resumes_with_each_endpoint(int version)
{
    enum { ENDPOINTS = 3 };
    tls_context *client = new_context(false, "client", "ca", version), *servers[ENDPOINTS];
    for (size_t i = 0; i < ENDPOINTS; i++) {
        servers[i] = new_context(true, "server", "ca", version);
        CHECK(!resumes_with(client, servers[i], i + 1));
    }
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < ENDPOINTS; i++)
            CHECK(resumes_with(client, servers[i], i + 1));
    /* one after the other at the same address, as after a restart: a session of the former one is tried once */
    tls_context *restarted = new_context(true, "server", "ca", version);
    int tries = 0;
    while (!resumes_with(client, restarted, 1))
        CHECK(tries++ < 2);
    /* connections at once, of which each brings a session, are kept up to a bound, and so are those with all */
    for (uint64_t peer = 1; peer <= 40; peer++) {
        pair all[6];
        for (size_t i = 0; i < 6; i++)
            all[i] = new_pair_towards(client, servers[1], NULL, peer);
        for (size_t i = 0; i < 6; i++)
            talk(&all[i]);
        for (size_t i = 0; i < 6; i++)
            free_pair(&all[i]);
        size_t with_peer = 0;
        for (size_t i = 0; i < client->kept_count; i++)
            with_peer += client->kept[i].peer == peer;
        /* the room is shared by those that have come so far, and the newest has no less than another */
        size_t peers = peer < TLS_KEPT_SESSIONS ? (size_t)peer : TLS_KEPT_SESSIONS, share = (TLS_KEPT_SESSIONS + peers - 1) / peers;
        CHECK(with_peer == (share < TLS_KEPT_WITH_PEER ? share : TLS_KEPT_WITH_PEER) && client->kept_count <= TLS_KEPT_SESSIONS);
        CHECK(client->kept[client->kept_count - 1].peer == peer);
    }
    CHECK(client->kept_count == TLS_KEPT_SESSIONS);
    CHECK(!resumes_with(client, servers[1], 1) && resumes_with(client, servers[1], 40));
    for (size_t i = 0; i < ENDPOINTS; i++)
        tls_context_release(servers[i]);
    tls_context_release(restarted);
    tls_context_release(client);
}

/* As many endpoints as there is room for sessions, and fewer, one after another: who gives two tickets leaves the others theirs. */
static void resumes_with_many_endpoints(int version, size_t endpoints)
{
    tls_context *client = new_context(false, "client", "ca", version), *servers[TLS_KEPT_SESSIONS];
    CHECK(endpoints <= TLS_KEPT_SESSIONS);
    for (size_t i = 0; i < endpoints; i++) {
        servers[i] = new_context(true, "server", "ca", version);
        CHECK(SSL_CTX_set_num_tickets(servers[i]->ssl, 2) == 1);
        CHECK(!resumes_with(client, servers[i], i + 1));
    }
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < endpoints; i++)
            CHECK(resumes_with(client, servers[i], i + 1));
    for (size_t i = 0; i < endpoints; i++)
        tls_context_release(servers[i]);
    tls_context_release(client);
}

/* A name that the peer must have, whether its certificate passes. */
static void named(const char *own, const char *host, const char *uri, bool passes)
{
    tls_context *server = new_context(true, own, NULL, TLS1_3_VERSION), *client = new_context(false, NULL, "ca", TLS1_3_VERSION);
    CHECK(host == NULL || tls_name_add(&client->hosts, host));
    CHECK(uri == NULL || tls_name_add(&client->uris, uri));
    if (passes)
        succeeds(client, server, NULL, 0, false);
    else
        fails(client, server, NULL, TLS_FAILURE_CERTIFICATE_NAME, TLS_FAILURE_ALERT);
    tls_context_release(server);
    tls_context_release(client);
}

static void names(void)
{
    named("server", "one.example.com", NULL, true);
    named("server", "ONE.example.com", NULL, true);
    named("server", "two.example.com", NULL, false);
    /* its common name */
    named("server", "server", NULL, false);
    named("wild", "any.wild.example.com", NULL, true);
    named("wild", "wild.example.com", NULL, false);
    named("wild", "a.b.wild.example.com", NULL, false);
    named("wild", "partial.example.com", NULL, false);
    named("wild", "my_app.wild.example.com", NULL, true);
    named("underscore", "my_app.example.com", NULL, true);
    named("underscore", "my-app.example.com", NULL, false);
    named("underscore", "a.my_ns.example.com", NULL, true);
    named("underscore", "a.my-ns.example.com", NULL, false);
    named("underscore", "my_ns.example.com", NULL, false);
    named("underscore", "any.com", NULL, false);
    named("underscore", "my_x.part.example.com", NULL, false);
    named("spiffe", "spiffe://example.com/ns/a/sa/b", NULL, false);
    named("spiffe", NULL, "spiffe://example.com/ns/a/sa/b", true);
    named("spiffe", NULL, "spiffe://example.com/ns/a/sa/B", false);
    named("spiffe", NULL, "spiffe://example.com/ns/a/sa/", false);
    named("spiffe", "one.example.com", "spiffe://example.com/ns/a/sa/b", true);
    named("two-uris", NULL, "spiffe://example.com/ns/a/sa/b", false);
    named("server", NULL, "spiffe://example.com/ns/a/sa/b", false);
    tls_name *none = NULL;
    CHECK(!tls_name_add(&none, "") && !tls_name_add(&none, ".example.com"));
}

static void refusals(int version)
{
    tls_context *server = new_context(true, "server", "ca", version), *open = new_context(true, "server", NULL, version);
    tls_context *client = new_context(false, "client", "ca", version), *nobody = new_context(false, NULL, "ca", version);
    tls_context *foreign = new_context(false, "foreign", "ca", version), *distrustful = new_context(false, NULL, "foreign-ca", version);
    tls_context *expired = new_context(true, "expired", NULL, version), *wrong_use = new_context(true, "client", NULL, version);
    tls_context *late = new_context(false, "expired-client", "ca", version);
    succeeds(client, server, NULL, 0, false);
    fails(nobody, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_MISSING);
    fails(foreign, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_UNTRUSTED);
    fails(late, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW);
    fails(distrustful, open, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED, TLS_FAILURE_ALERT);
    fails(nobody, expired, NULL, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW, TLS_FAILURE_ALERT);
    fails(nobody, wrong_use, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED, TLS_FAILURE_ALERT);
    tls_context_ask(server, false);
    succeeds(nobody, server, NULL, 0, false);
    tls_context *all[] = {server, open, client, nobody, foreign, distrustful, expired, wrong_use, late};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tls_context_release(all[i]);
}

static void use_list(tls_context *context, const char *name)
{
    tls_error error;
    size_t length;
    unsigned char *octets = read_file(name, &length);
    must(tls_context_list(context, octets, length, &error), &error);
    CHECK(!tls_context_list(context, octets, length - 1, &error));
    free(octets);
}

/* Of a server with one list, with two, and of a client. */
static void revocations(int version)
{
    tls_error error;
    const char *lists[] = {"good.crl", "forged.crl", "old.crl"};
    const enum tls_failure of_client[] = {TLS_FAILURE_NONE, TLS_FAILURE_REVOCATION_UNKNOWN, TLS_FAILURE_REVOCATION_UNKNOWN};
    const enum tls_failure of_revoked[] = {TLS_FAILURE_CERTIFICATE_REVOKED, TLS_FAILURE_REVOCATION_UNKNOWN, TLS_FAILURE_REVOCATION_UNKNOWN};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        tls_context *server = new_context(true, "server", "ca", version), *client = new_context(false, "client", "ca", version);
        tls_context *revoked = new_context(false, "revoked", "ca", version);
        use_list(server, lists[i]);
        if (of_client[i] == TLS_FAILURE_NONE)
            succeeds(client, server, NULL, 0, false);
        else
            fails(client, server, NULL, TLS_FAILURE_ALERT, of_client[i]);
        fails(revoked, server, NULL, TLS_FAILURE_ALERT, of_revoked[i]);
        /* one that can be gone by is enough */
        use_list(server, "good.crl");
        if (version == TLS1_3_VERSION)
            fails(revoked, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_REVOKED);
        tls_context_release(server);
        tls_context_release(client);
        tls_context_release(revoked);
    }
    /* who may not sign lists, and a list of somebody else */
    tls_context *server = new_context(true, "server", "foreign-ca", version), *foreign = new_context(false, "foreign", "ca", version);
    use_list(server, "good.crl");
    succeeds(foreign, server, NULL, 0, false);
    use_list(server, "no-sign.crl");
    tls_context *again = new_context(false, "foreign", "ca", version);
    fails(again, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_REVOCATION_UNKNOWN);
    tls_context_release(server);
    tls_context_release(foreign);
    tls_context_release(again);
    /* a certificate that answers for its name looks at the lists of the first */
    server = new_context(true, "server", "ca", version);
    tls_context *wild = new_context(true, "wild", NULL, version), *revoked = new_context(false, "revoked", "ca", version);
    use_list(server, "good.crl");
    tls_context_ask(wild, true);
    must(tls_context_serve(server, "*.wild.example.com", wild, &error), &error);
    must(tls_context_serve(server, "also.example.com", wild, &error), &error);
    tls_context_release(wild);
    fails(revoked, server, "a.wild.example.com", TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_REVOKED);
    fails(revoked, server, "also.example.com", TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_REVOKED);
    tls_context_release(revoked);
    tls_context_release(server);
    /* towards an endpoint */
    server = new_context(true, "revoked-server", NULL, version);
    tls_context *client = new_context(false, NULL, "ca", version);
    use_list(client, "good.crl");
    fails(client, server, NULL, TLS_FAILURE_CERTIFICATE_REVOKED, TLS_FAILURE_ALERT);
    tls_context_release(server);
    tls_context_release(client);
}

/* A list that is outdated meanwhile ends resumption: the handshake is a full one, which looks at it. */
static void outdated_list_resumes_nobody(int version)
{
    tls_context *server = new_context(true, "server", "ca", version), *client = new_context(false, "client", "ca", version);
    use_list(server, "good.crl");
    succeeds(client, server, NULL, 0, false);
    succeeds(client, server, NULL, 0, true);
    use_list(server, "old.crl");
    succeeds(client, server, NULL, 0, false);
    tls_context_release(server);
    tls_context_release(client);
}

static void nothing_in_common(void)
{
    tls_error error;
    tls_context *server = new_context(true, "server", NULL, TLS1_3_VERSION), *client = new_context(false, NULL, "ca", TLS1_3_VERSION);
    tls_context *older = new_context(false, NULL, "ca", TLS1_2_VERSION);
    fails(older, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_NOTHING_IN_COMMON);
    must(tls_context_ciphers(server, "TLS_AES_128_GCM_SHA256", &error), &error);
    succeeds(client, server, NULL, 0, false);
    must(tls_context_protocols(server, (const unsigned char *)"\x08http/1.1", 9, &error), &error);
    succeeds(client, server, NULL, 0, true);
    must(tls_context_protocols(client, (const unsigned char *)"\x02h2", 3, &error), &error);
    fails(client, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_NOTHING_IN_COMMON);
    must(tls_context_protocols(client, (const unsigned char *)"\x02h2\x08http/1.1", 12, &error), &error);
    pair both = new_pair(client, server, NULL);
    talk(&both);
    const unsigned char *chosen;
    unsigned length;
    SSL_get0_alpn_selected(both.client->ssl, &chosen, &length);
    CHECK(length == 8 && memcmp(chosen, "http/1.1", 8) == 0);
    free_pair(&both);
    must(tls_context_ciphers(client, "TLS_CHACHA20_POLY1305_SHA256", &error), &error);
    fails(client, server, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_NOTHING_IN_COMMON);
    CHECK(!tls_context_ciphers(client, "TLS_NO_SUCH", &error) && !tls_context_ciphers(client, "", &error));
    CHECK(!tls_context_groups(client, "no-such", &error) && !tls_context_versions(client, TLS1_VERSION, TLS1_2_VERSION, &error));
    tls_context_release(older);
    tls_context_release(server);
    tls_context_release(client);
}

/* The server's order of ciphers counts, in each version. */
static void takes_the_servers_order(int version)
{
    static const char *const ORDERS[][2] = {
        {"TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"},
        {"TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"},
        {"TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"},
        {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256:TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"},
        {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"}};
    static const char *const OFFERS[] = {
        "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:"
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256:"
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"};
    tls_error error;
    for (size_t i = 0; i < sizeof ORDERS / sizeof *ORDERS; i++) {
        if ((strstr(ORDERS[i][0], "_WITH_") == NULL) != (version == TLS1_3_VERSION))
            continue;
        for (size_t j = 0; j < sizeof OFFERS / sizeof *OFFERS; j++) {
            tls_context *server = new_context(true, "server", NULL, version), *client = new_context(false, NULL, "ca", version);
            must(tls_context_ciphers(server, ORDERS[i][0], &error), &error);
            must(tls_context_ciphers(client, OFFERS[j], &error), &error);
            for (int resumed = 0; resumed < 2; resumed++) {
                pair both = new_pair(client, server, NULL);
                talk(&both);
                CHECK(both.client->is_established && SSL_session_reused(both.client->ssl) == resumed);
                CHECK(strcmp(SSL_CIPHER_standard_name(SSL_get_current_cipher(both.server->ssl)), ORDERS[i][1]) == 0);
                free_pair(&both);
            }
            tls_context_release(server);
            tls_context_release(client);
        }
    }
}

/* Suites of 1.3 alone leave none of 1.2, not even a library's own. */
static void suites_of_one_version(void)
{
    tls_error error;
    tls_context *newer = new_context(true, "server", NULL, TLS1_3_VERSION);
    tls_context *of_1_2 = new_context(false, NULL, "ca", TLS1_2_VERSION), *of_1_3 = new_context(false, NULL, "ca", TLS1_3_VERSION);
    must(tls_context_versions(newer, TLS1_2_VERSION, TLS1_3_VERSION, &error), &error);
    must(tls_context_ciphers(newer, "TLS_AES_128_GCM_SHA256", &error), &error);
    succeeds(of_1_3, newer, NULL, 0, false);
    fails(of_1_2, newer, NULL, TLS_FAILURE_ALERT, TLS_FAILURE_NOTHING_IN_COMMON);
    tls_context_release(newer);
    tls_context_release(of_1_2);
    tls_context_release(of_1_3);
}

/* Keys and signatures below 112 bits: this side shows none, and takes none from its peer. */
static void weak(const char *name, const char *authority, const char *words, int why, int version)
{
    tls_error error;
    char file[64];
    size_t length;
    (void)snprintf(file, sizeof file, "%s.der", name);
    unsigned char *der = read_file(file, &length);
    const unsigned char *at = der;
    tls_context *server = new_context(true, NULL, NULL, version), *client = new_context(false, NULL, authority, version);
    CHECK(!tls_context_certificate(server, der, length, true, &error));
    if (strcmp(error.text, words) != 0)
        fprintf(stderr, "%s: %s\n", name, error.text);
    CHECK(strcmp(error.text, words) == 0);
    /* past the binding */
#ifndef OPENSSL_IS_AWSLC
    SSL_CTX_set_security_level(server->ssl, 0);
#endif
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    CHECK(certificate != NULL && SSL_CTX_use_certificate(server->ssl, certificate) == 1);
    X509_free(certificate);
    free(der);
    (void)snprintf(file, sizeof file, "%s.key.der", name);
    der = read_file(file, &length);
    must(tls_context_key(server, der, length, &error), &error);
    free(der);
    pair both = new_pair(client, server, NULL);
    talk(&both);
    if (both.client->unverified != why)
        tell(&both);
    CHECK(both.client->failure == TLS_FAILURE_CERTIFICATE_UNTRUSTED && both.server->failure == TLS_FAILURE_ALERT);
    CHECK(both.client->unverified == why);
    free_pair(&both);
    tls_context_release(server);
    tls_context_release(client);
}

#ifdef OPENSSL_IS_AWSLC
/* Which is not the same as a weak one. */
static void unsupported_key(const char *file, bool is_own, const char *words)
{
    tls_error error;
    size_t length;
    unsigned char *der = read_file(file, &length);
    tls_context *server = new_context(true, NULL, NULL, TLS1_3_VERSION);
    CHECK(!tls_context_certificate(server, der, length, is_own, &error));
    if (strcmp(error.text, words) != 0)
        fprintf(stderr, "%s: %s\n", file, error.text);
    CHECK(strcmp(error.text, words) == 0 && ERR_peek_error() == 0);
    free(der);
    tls_context_release(server);
}
#endif

static void weak_ones(int version)
{
    static const char SMALL[] = "the certificate is not usable: ee key too small", WEAK[] = "the certificate is not usable: ca md too weak";
    tls_error error;
    weak("short", "ca", SMALL, X509_V_ERR_EE_KEY_TOO_SMALL, version);
    weak("rsa1961", "ca", SMALL, X509_V_ERR_EE_KEY_TOO_SMALL, version);
    weak("rsa1962", "ca", SMALL, X509_V_ERR_EE_KEY_TOO_SMALL, version);
    weak("sha1", "ca", WEAK, X509_V_ERR_CA_MD_TOO_WEAK, version);
    weak("pss-sha1", "rsa-ca", WEAK, X509_V_ERR_CA_MD_TOO_WEAK, version);
    tls_context *server = new_context(true, "below-short-ca", NULL, version), *client = new_context(false, NULL, "short-ca", version);
    fails(client, server, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED, TLS_FAILURE_ALERT);
    tls_context_release(server);
    tls_context_release(client);
    /* these are strong enough, and of other kinds */
    static const char *const KINDS[][2] = {{"rsa", "ca"}, {"rsa1963", "ca"}, {"p384", "ca"}, {"ed25519", "ca"}, {"by-ed25519", "ed25519-ca"},
                                           {"pss-sha224", "rsa-ca"}, {"pss-sha256", "rsa-ca"}};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        server = new_context(true, KINDS[i][0], NULL, version);
        client = new_context(false, NULL, KINDS[i][1], version);
        /* which in TLS 1.2 is for certificates too */
        must(tls_context_groups(server, "x25519:secp256r1:secp384r1", &error), &error);
        must(tls_context_groups(client, "x25519:secp256r1:secp384r1", &error), &error);
        succeeds(client, server, NULL, 0, false);
        tls_context_release(server);
        tls_context_release(client);
    }
}

#ifdef OPENSSL_IS_AWSLC
/* With whom it has this group, it is safe from a quantum computer of later years. */
static void post_quantum(void)
{
    tls_error error;
    tls_context *server = new_context(true, "server", NULL, TLS1_3_VERSION), *client = new_context(false, NULL, "ca", TLS1_3_VERSION);
    tls_context *older = new_context(false, NULL, "ca", TLS1_3_VERSION);
    must(tls_context_groups(server, "X25519MLKEM768:x25519:secp256r1", &error), &error);
    must(tls_context_groups(client, "X25519MLKEM768:x25519:secp256r1", &error), &error);
    tls_context *clients[] = {client, older};
    const int groups[] = {SSL_GROUP_X25519_MLKEM768, SSL_GROUP_X25519};
    for (size_t i = 0; i < 2; i++) {
        pair both = new_pair(clients[i], server, NULL);
        talk(&both);
        CHECK(both.client->is_established && SSL_get_group_id(both.server->ssl) == groups[i]);
        free_pair(&both);
    }
    tls_context_release(server);
    tls_context_release(client);
    tls_context_release(older);
}
#endif

static void answers(tls_context *client, tls_context *server, const char *name, const char *common_name, bool is_resumed)
{
    pair both = new_pair(client, server, name);
    char text[128] = "";
    talk(&both);
    CHECK(both.client->is_established && (SSL_session_reused(both.client->ssl) == 1) == is_resumed);
    (void)X509_NAME_get_text_by_NID(X509_get_subject_name(tls_connection_peer(both.client, 0)), NID_commonName, text, sizeof text);
    CHECK(strcmp(text, common_name) == 0);
    free_pair(&both);
}

static void server_names(int version)
{
    tls_error error;
    tls_context *first = new_context(true, "server", "ca", version), *wild = new_context(true, "wild", NULL, version);
    tls_context *client = new_context(false, "client", "ca", version);
    must(tls_context_resume(wild, (const unsigned char *)"2", 1, 3600, &error), &error);
    tls_context_ask(wild, true);
    must(tls_context_serve(first, "one.example.com", first, &error), &error);
    must(tls_context_serve(first, "*.wild.example.com", wild, &error), &error);
    must(tls_context_serve(first, "exact.wild.example.com", first, &error), &error);
    must(tls_context_serve(first, "my_app.example.com", wild, &error), &error);
    tls_context_release(wild);
    answers(client, first, "one.example.com", "server", false);
    /* a session of another certificate is none: it would take the peer for somebody else */
    answers(client, first, "a.wild.example.com", "wild", false);
    answers(client, first, "A.Wild.example.com", "wild", true);
    answers(client, first, "a.wild.example.com.", "wild", true);
    answers(client, first, "exact.wild.example.com", "server", false);
    answers(client, first, "Exact.wild.example.com.", "server", true);
    answers(client, first, "my_app.wild.example.com", "wild", false);
    answers(client, first, "my_app.example.com", "wild", false);
    answers(client, first, ".wild.example.com", "server", false);
    answers(client, first, "b.a.wild.example.com", "server", false);
    answers(client, first, "b.a.wild.example.com", "server", true);
    answers(client, first, NULL, "server", false);
    answers(client, first, NULL, "server", true);
    tls_context *nobody = new_context(false, NULL, "ca", version);
    fails(nobody, first, "a.wild.example.com", TLS_FAILURE_ALERT, TLS_FAILURE_CERTIFICATE_MISSING);
    tls_context_release(nobody);
    tls_context_release(first);
    tls_context_release(client);
}

#ifndef OPENSSL_IS_AWSLC
/* So many alerts and nothing else, to the last octet of what a connection has to send. */
static void says_alerts(tls_connection *connection, int count)
{
    unsigned char octets[1000];
    size_t length = tls_connection_take_flight(connection, octets, sizeof octets), at = 0;
    for (; at + SSL3_RT_HEADER_LENGTH <= length && octets[at] == SSL3_RT_ALERT; count--)
        at += SSL3_RT_HEADER_LENGTH + (size_t)(octets[at + 3] << 8 | octets[at + 4]);
    CHECK(at == length && count == 0);
}
#endif

/* Sends a KeyUpdate, for which each library has another call. */
static void update_key(tls_connection *connection, int type)
{
    CHECK(SSL_key_update(connection->ssl, type) == 1);
#ifdef OPENSSL_IS_AWSLC
    CHECK(SSL_write(connection->ssl, "", 0) == 0);
#else
    CHECK(SSL_do_handshake(connection->ssl) == 1);
#endif
}

/* A peer may do without content for some time. */
static void updates_in_a_row(tls_context *client, tls_context *server, int type, int most)
{
    pair both = new_pair(client, server, NULL);
    talk(&both);
    for (int updates = 0; updates < most; updates++) {
        update_key(both.client, type);
        talk(&both);
        CHECK(both.server->failure == TLS_FAILURE_NONE && both.client->failure == TLS_FAILURE_NONE);
    }
    send_content(both.client, both.server, 1000, 0);
    free_pair(&both);
}

/* The answer to a KeyUpdate that came with content waits for the next content, and goes out before it (RFC 8446 4.6.3). */
static void update_with_content(tls_context *client, tls_context *server)
{
    pair both = new_pair(client, server, NULL);
    talk(&both);
    update_key(both.client, SSL_KEY_UPDATE_REQUESTED);
    send_content(both.client, both.server, 10, 0);
    CHECK(both.server->flight_length == 0 && SSL_get_key_update_type(both.server->ssl) != SSL_KEY_UPDATE_NONE);
    send_content(both.server, both.client, 10, 0);
    CHECK(both.client->idle_steps == 0 && SSL_get_key_update_type(both.server->ssl) == SSL_KEY_UPDATE_NONE);
    free_pair(&both);
}

static void floods(void)
{
    tls_context *server = new_context(true, "server", NULL, TLS1_3_VERSION), *client = new_context(false, NULL, "ca", TLS1_3_VERSION);
    update_with_content(client, server);
    updates_in_a_row(client, server, SSL_KEY_UPDATE_REQUESTED, 38);
    updates_in_a_row(client, server, SSL_KEY_UPDATE_NOT_REQUESTED, 64);
    pair both = new_pair(client, server, NULL);
    talk(&both);
    int updates = 0;
    for (; both.server->failure == TLS_FAILURE_NONE; updates++) {
        CHECK(updates < 1000);
        update_key(both.client, SSL_KEY_UPDATE_REQUESTED);
        talk(&both);
        /* of the two, the server is to be the one that has had enough */
        both.client->idle_steps = 0;
        if (updates == 10)
            send_content(both.client, both.server, 1000, 0);
    }
    /* 11 before the content, 38 that are taken, and the one that is too many */
    CHECK(updates == 50);
    CHECK(both.client->is_input_closed && both.client->failure == TLS_FAILURE_NONE);
    free_pair(&both);
    /* content in between is no flood */
    both = new_pair(client, server, NULL);
    talk(&both);
    for (updates = 0; updates < 200; updates++) {
        update_key(both.client, SSL_KEY_UPDATE_REQUESTED);
        talk(&both);
        send_content(both.client, both.server, 10, 0);
        send_content(both.server, both.client, 10, 0);
    }
    free_pair(&both);
    tls_context_release(server);
    tls_context_release(client);
}

/* AWS-LC's client has no call to ask for one; ListenerTlsIT has OpenSSL's ask it. */
#ifndef OPENSSL_IS_AWSLC
static void renegotiation(void)
{
    tls_context *server = new_context(true, "server", NULL, TLS1_2_VERSION), *client = new_context(false, NULL, "ca", TLS1_2_VERSION);
    (void)SSL_CTX_clear_options(client->ssl, SSL_OP_NO_RENEGOTIATION);
    pair both = new_pair(client, server, NULL);
    talk(&both);
    CHECK(both.server->is_established && SSL_renegotiate(both.client->ssl) == 1);
    (void)SSL_do_handshake(both.client->ssl);
    unsigned char hello[4096], content[4096];
    size_t length = tls_connection_take_flight(both.client, hello, sizeof hello);
    CHECK(feed(both.server, hello, length, content, sizeof content) == 0);
    CHECK(both.server->failure == TLS_FAILURE_RENEGOTIATION);
    /* no_renegotiation and close_notify */
    says_alerts(both.server, 2);
    free_pair(&both);
    tls_context_release(server);
    tls_context_release(client);
}
#endif

static void garbage(tls_context *server, const char *octets, size_t length, enum tls_failure failure)
{
    tls_error error;
    unsigned char content[4096];
    tls_connection *connection = tls_connection_new(server, NULL, &error);
    CHECK(connection != NULL);
    CHECK(feed(connection, (const unsigned char *)octets, length, content, sizeof content) == 0);
    CHECK(connection->failure == failure);
    CHECK(feed(connection, (const unsigned char *)octets, length, content, sizeof content) == 0);
    tls_connection_free(connection);
}

static void no_tls(void)
{
    tls_context *server = new_context(true, "server", NULL, TLS1_3_VERSION);
    char huge[4000];
    garbage(server, "GET / HTTP/1.1\r\n\r\n", 18, TLS_FAILURE_PLAIN_HTTP);
    garbage(server, "\x16\x03\x01\x00\x00", 5, TLS_FAILURE_NONE);
    /* which may not go on for ever */
    for (size_t i = 0; i < sizeof huge; i++)
        huge[i] = "\x16\x03\x01\x00\x00"[i % 5];
    garbage(server, huge, sizeof huge, TLS_FAILURE_PROTOCOL);
    garbage(server, "\x16\x03\x01\xff\xff\x01\x00", 7, TLS_FAILURE_PROTOCOL);
    garbage(server, "\x17\x03\x03\x00\x01x", 6, TLS_FAILURE_PROTOCOL);
    memset(huge, 0xff, sizeof huge);
    garbage(server, huge, sizeof huge, TLS_FAILURE_PROTOCOL);
    tls_context_release(server);
}

/* A hello that announces more than it may, whole or an octet to a record, takes no room for it. */
static void long_hello(void)
{
    tls_error error;
    tls_context *asks = new_context(true, "server", "ca", TLS1_3_VERSION), *open = new_context(true, "server", NULL, TLS1_3_VERSION);
    unsigned char content[4096];
    const unsigned char whole[] = {22, 3, 1, 0, 5, 1, 1, 0xff, 0xff, 3};
    const unsigned char divided[] = {22, 3, 1, 0, 1, 1, 22, 3, 1, 0, 1, 0, 22, 3, 1, 0, 1, 0x80, 22, 3, 1, 0, 1, 1};
    const unsigned char longest[] = {22, 3, 1, 0, 5, 1, 0, 0x80, 0, 3};
    const unsigned char of_16_k[] = {22, 3, 1, 0, 5, 1, 0, 0x40, 0, 3}, above_16_k[] = {22, 3, 1, 0, 5, 1, 0, 0x40, 1, 3};
    /* AWS-LC takes no more than 16 KiB of a client that is not asked for a certificate, which a ticket would hold */
#ifdef OPENSSL_IS_AWSLC
    const bool takes_16_k = true;
#else
    const bool takes_16_k = false;
#endif
    const struct {
        tls_context *server;
        const unsigned char *octets;
        size_t length;
        bool is_refused;
    } hellos[] = {{asks, whole, sizeof whole, true},
                  {asks, divided, sizeof divided, true},
                  {asks, longest, sizeof longest, false},
                  {open, whole, sizeof whole, true},
                  {open, longest, sizeof longest, takes_16_k},
                  {open, of_16_k, sizeof of_16_k, false},
                  {open, above_16_k, sizeof above_16_k, takes_16_k}};
    for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
        int64_t before = tls_allocated();
        tls_connection *connection = tls_connection_new(hellos[i].server, NULL, &error);
        CHECK(connection != NULL);
        (void)feed(connection, hellos[i].octets, hellos[i].length, content, sizeof content);
        CHECK((connection->failure == TLS_FAILURE_PROTOCOL) == hellos[i].is_refused);
        /* what is announced would take 170,000 */
        if (tls_allocated() - before >= 80000)
            fprintf(stderr, "hello %zu took %lld\n", i, (long long)(tls_allocated() - before));
        CHECK(tls_allocated() - before < 80000);
        unsigned char alert[8];
        size_t length = tls_connection_take_flight(connection, alert, sizeof alert);
        CHECK(length == (hellos[i].is_refused ? 7 : 0));
        /* AWS-LC's own alert is of the version of the first records */
        bool is_own = hellos[i].is_refused && i >= 4;
        CHECK(length == 0 || memcmp(alert, is_own ? "\x15\x03\x01\x00\x02\x02\x2f" : "\x15\x03\x03\x00\x02\x02\x2f", 7) == 0);
        tls_connection_free(connection);
    }
    tls_context_release(asks);
    tls_context_release(open);
}

/* A server that has the client send a second hello. */
static void second_hello(void)
{
    tls_error error;
    tls_context *server = new_context(true, "server", "ca", TLS1_3_VERSION), *client = new_context(false, "client", "ca", TLS1_3_VERSION);
    must(tls_context_groups(server, "secp256r1", &error), &error);
    succeeds(client, server, "one.example.com", 0, false);
    succeeds(client, server, "one.example.com", 1, true);
    tls_context_release(server);
    tls_context_release(client);
}

/* Contexts that share what they trust share the digests of it by which chains are remembered, so that neither may change alone. */
static void trust_comes_before_names(void)
{
    static const char LATE[] = "trust and lists come before names";
    tls_error error;
    size_t length, list_length;
    unsigned char *der = read_file("foreign-ca.der", &length), *list = read_file("good.crl", &list_length);
    tls_context *first = new_context(true, "server", "ca", TLS1_3_VERSION), *wild = new_context(true, "wild", NULL, TLS1_3_VERSION);
    /* its own names change nothing */
    must(tls_context_serve(first, "one.example.com", first, &error), &error);
    must(tls_context_trust(first, der, length, &error), &error);
    must(tls_context_serve(first, "*.wild.example.com", wild, &error), &error);
    tls_context *both[] = {first, wild};
    for (size_t i = 0; i < 2; i++) {
        unsigned char trusted[TLS_DIGEST], listed[TLS_DIGEST];
        memcpy(trusted, both[i]->trusted, TLS_DIGEST);
        memcpy(listed, both[i]->listed, TLS_DIGEST);
        CHECK(!tls_context_trust(both[i], der, length, &error) && strcmp(error.text, LATE) == 0);
        CHECK(!tls_context_list(both[i], list, list_length, &error) && strcmp(error.text, LATE) == 0);
        CHECK(memcmp(trusted, both[i]->trusted, TLS_DIGEST) == 0 && memcmp(listed, both[i]->listed, TLS_DIGEST) == 0);
        CHECK(both[i]->lists == NULL);
    }
    free(der);
    free(list);
    tls_context_release(wild);
    tls_context_release(first);
}

static void wrong_material(void)
{
    tls_error error;
    size_t length, other_length;
    unsigned char *der = read_file("server.der", &length), *key = read_file("client.key.der", &other_length);
    tls_context *context = tls_context_new(true, &error);
    CHECK(!tls_context_certificate(context, der, length - 1, true, &error));
    CHECK(!tls_context_certificate(context, key, other_length, true, &error));
    CHECK(tls_context_certificate(context, der, length, true, &error));
    CHECK(!tls_context_key(context, key, other_length, &error) && strstr(error.text, "not that of the certificate") != NULL);
    CHECK(!tls_context_key(context, der, length, &error));
    for (size_t cut = 0; cut < other_length; cut++)
        CHECK(!tls_context_key(context, key, cut, &error));
    free(der);
    free(key);
    tls_context_release(context);
}

int main(int count, char **arguments)
{
    tls_error error;
    int64_t held = 0;
    CHECK(count == 3);
    folder = arguments[1];
    must(tls_start(&error), &error);
    for (int i = 0; i < atoi(arguments[2]); i++) {
        resumes(TLS1_3_VERSION);
        resumes(TLS1_2_VERSION);
        resumes_with_each_endpoint(TLS1_3_VERSION);
        resumes_with_each_endpoint(TLS1_2_VERSION);
        resumes_with_many_endpoints(TLS1_3_VERSION, 12);
        resumes_with_many_endpoints(TLS1_3_VERSION, TLS_KEPT_SESSIONS);
        resumes_with_many_endpoints(TLS1_2_VERSION, TLS_KEPT_SESSIONS);
        names();
        refusals(TLS1_3_VERSION);
        refusals(TLS1_2_VERSION);
        revocations(TLS1_3_VERSION);
        revocations(TLS1_2_VERSION);
        outdated_list_resumes_nobody(TLS1_3_VERSION);
        outdated_list_resumes_nobody(TLS1_2_VERSION);
        nothing_in_common();
        takes_the_servers_order(TLS1_3_VERSION);
        takes_the_servers_order(TLS1_2_VERSION);
        suites_of_one_version();
        weak_ones(TLS1_3_VERSION);
        weak_ones(TLS1_2_VERSION);
#ifdef OPENSSL_IS_AWSLC
        unsupported_key("ed448.der", true, "the certificate is not usable: unsupported key");
        unsupported_key("ed448.der", false, "the certificate is not usable: unsupported key");
        unsupported_key("rsa-pss.der", true, "the certificate is not usable: UNKNOWN_CERTIFICATE_TYPE");
        post_quantum();
#endif
        server_names(TLS1_3_VERSION);
        server_names(TLS1_2_VERSION);
        floods();
#ifndef OPENSSL_IS_AWSLC
        renegotiation();
#endif
        no_tls();
        long_hello();
        second_hello();
        trust_comes_before_names();
        wrong_material();
        /* the first round loads texts of errors and fetches algorithms */
        if (i == 0)
            held = tls_allocated();
        CHECK(tls_allocated() == held);
    }
    printf("well; %lld octets held\n", (long long)held);
    return 0;
}
