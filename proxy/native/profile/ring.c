/* The buffer of fixed size between the threads that are sampled and the thread of the profile. It neither allocates nor locks. */
#define _GNU_SOURCE
#include "ring.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Places for samples until they are taken, at least ten times a second. */
enum { PLACES = 64, PAGE_BYTES = 4096 };

enum { NS_PER_MS = 1000000, CLOSE_MS = 1000 };

enum { FREE, BUSY, FULL };

/* Always mapped, as any thread may fault at any time; without memory of its own until it is written to. */
static _Alignas(PAGE_BYTES) struct place places[PLACES];
static atomic_int open;
static atomic_uint next;
static atomic_int inside; /* threads that have a place, or ask for one */
static atomic_long dropped;

void ring_open(void)
{
    /* left by a profile that could not free the memory */
    for (int i = 0; i < PLACES; i++) {
        int full = FULL;
        (void)atomic_compare_exchange_strong(&places[i].state, &full, FREE);
    }
    atomic_store(&dropped, 0);
    atomic_store(&open, 1);
}

int ring_close(void)
{
    atomic_store(&open, 0);
    struct timespec moment = {.tv_nsec = NS_PER_MS};
    for (int i = 0; i < CLOSE_MS && atomic_load(&inside) != 0; i++)
        (void)nanosleep(&moment, NULL);
    if (atomic_load(&inside) != 0)
        return 0;
    (void)madvise(places, sizeof places & ~(size_t)(PAGE_BYTES - 1), MADV_DONTNEED);
    return 1;
}

struct place *ring_claim(void)
{
    (void)atomic_fetch_add(&inside, 1);
    if (atomic_load(&open)) {
        struct place *place = &places[atomic_fetch_add(&next, 1) % PLACES];
        int expected = FREE;
        if (atomic_compare_exchange_strong(&place->state, &expected, BUSY))
            return place;
        (void)atomic_fetch_add(&dropped, 1);
    }
    (void)atomic_fetch_sub(&inside, 1);
    return NULL;
}

static void leave(struct place *place, int state)
{
    atomic_store(&place->state, state);
    (void)atomic_fetch_sub(&inside, 1);
}

void ring_publish(struct place *place)
{
    leave(place, FULL);
}

void ring_return(struct place *place)
{
    leave(place, FREE);
}

struct place *ring_guarded(pid_t self)
{
    for (int i = 0; i < PLACES; i++)
        if (atomic_load(&places[i].guarded) && places[i].sample.tid == self)
            return &places[i];
    return NULL;
}

int ring_take(struct sample *into)
{
    for (int i = 0; i < PLACES; i++)
        if (atomic_load(&places[i].state) == FULL) {
            memcpy(into, &places[i].sample, sizeof *into);
            atomic_store(&places[i].state, FREE);
            return 1;
        }
    return 0;
}

long ring_dropped(void)
{
    return atomic_load(&dropped);
}
