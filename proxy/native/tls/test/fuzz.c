/* Damaged streams of records in both directions, and damaged DER: nothing may crash, be read beyond its end, or stay behind.
 *   fuzz FOLDER SECONDS [SEED]
 * The same seed damages the same, and a run that fails prints its seed. */
#include "check.h"

static bool pass(tls_connection *from, tls_connection *to, unsigned char *content, uint32_t odds)
{
    size_t room = from->flight_length;
    unsigned char *octets = malloc(room + 1);
    CHECK(octets != NULL);
    size_t length = tls_connection_take_flight(from, octets, room);
    if (length > 0 && draw(odds) == 0) {
        unsigned char *damaged = damage(octets, &length);
        free(octets);
        octets = damaged;
    }
    size_t done = 0;
    while (done < length) {
        size_t part = draw(4) == 0 ? 1 + draw((uint32_t)(length - done)) : length - done;
        (void)feed(to, octets + done, part, content, CONTENT_ROOM);
        done += part;
    }
    free(octets);
    return length > 0;
}

static void write_some(tls_connection *from, tls_connection *to, unsigned char *content)
{
    size_t length = 1 + draw(40000), room = tls_connection_wire_room(from, length);
    unsigned char *wire = malloc(room), *some = calloc(1, length);
    CHECK(wire != NULL && some != NULL);
    size_t made = tls_connection_encrypt(from, some, length, wire, room);
    CHECK(made <= room);
    if (made > 0) {
        unsigned char *damaged = damage(wire, &made);
        (void)feed(to, damaged, made, content, CONTENT_ROOM);
        free(damaged);
    }
    free(wire);
    free(some);
}

static void converse(tls_context *client, tls_context *server)
{
    pair both = new_pair(client, server, draw(2) == 0 ? "a.wild.example.com" : NULL);
    uint32_t odds = 1 + draw(6);
    bool goes_on = true;
    while (goes_on) {
        goes_on = pass(both.client, both.server, both.to_server, odds);
        goes_on |= pass(both.server, both.client, both.to_client, odds);
    }
    for (uint32_t times = draw(4); times > 0; times--) {
        write_some(both.client, both.server, both.to_server);
        write_some(both.server, both.client, both.to_client);
    }
    if (draw(2) == 0)
        tls_connection_close(both.client);
    (void)pass(both.client, both.server, both.to_server, 2);
    free_pair(&both);
}

static void read_der(const unsigned char *certificate, size_t certificate_length, const unsigned char *key, size_t key_length)
{
    tls_error error;
    tls_context *context = tls_context_new(draw(2) == 0, &error);
    CHECK(context != NULL);
    unsigned char *damaged = damage(certificate, &certificate_length);
    (void)tls_context_certificate(context, damaged, certificate_length, draw(2) == 0, &error);
    (void)tls_context_trust(context, damaged, certificate_length, &error);
    free(damaged);
    damaged = damage(key, &key_length);
    (void)tls_context_key(context, damaged, key_length, &error);
    free(damaged);
    tls_context_release(context);
}

int main(int count, char **arguments)
{
    tls_error error;
    size_t lengths[2];
    long runs = 0;
    CHECK(count >= 3);
    folder = arguments[1];
    time_t until = time(NULL) + atoi(arguments[2]);
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : (uint64_t)time(NULL);
    must(tls_start(&error), &error);
    unsigned char *certificate = read_file("spiffe.der", &lengths[0]), *key = read_file("spiffe.key.der", &lengths[1]);
    do {
        int version = seed % 2 == 0 ? TLS1_3_VERSION : TLS1_2_VERSION;
        fprintf(stderr, "\rseed %llu", (unsigned long long)seed);
        seed_draws(seed);
        tls_context *server = new_context(true, "server", "ca", version), *wild = new_context(true, "wild", NULL, version);
        tls_context *client = new_context(false, "client", "ca", version);
        CHECK(tls_name_add(&client->uris, "spiffe://example.com/client") && tls_name_add(&client->hosts, "one.example.com"));
        must(tls_context_serve(server, "*.wild.example.com", wild, &error), &error);
        tls_context_release(wild);
        for (int i = 0; i < 50; i++, runs++) {
            converse(client, server);
            read_der(certificate, lengths[0], key, lengths[1]);
        }
        tls_context_release(server);
        tls_context_release(client);
        seed++;
    } while (time(NULL) < until && count <= 3);
    free(certificate);
    free(key);
    printf("\n%ld conversations; %lld octets held\n", runs, (long long)tls_allocated());
    return 0;
}
