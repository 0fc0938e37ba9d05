#include "check.h"

static uint64_t state;

void seed_draws(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15ULL + 1;
}

uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % below;
}

unsigned char *damage(const unsigned char *octets, size_t *length)
{
    unsigned char *copy = malloc(*length + 64);
    CHECK(copy != NULL);
    memcpy(copy, octets, *length);
    for (uint32_t times = 1 + draw(3); times > 0 && *length > 0; times--) {
        uint32_t at = draw((uint32_t)*length);
        switch (draw(6)) {
        case 0:
            copy[at] ^= (unsigned char)(1U << draw(8));
            break;
        case 1:
            copy[at] = (unsigned char)draw(256);
            break;
        case 2:
            copy[at] = draw(2) == 0 ? 0 : 0xff;
            break;
        case 3:
            *length = at;
            break;
        case 4:
            memmove(copy + at, copy + at + 1, *length - at - 1);
            *length -= 1;
            break;
        default:
            if (*length < 8192) {
                copy = realloc(copy, *length + 128);
                CHECK(copy != NULL);
                memmove(copy + at + 1, copy + at, *length - at);
                copy[at] = (unsigned char)draw(256);
                *length += 1;
            }
        }
    }
    return copy;
}
