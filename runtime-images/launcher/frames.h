/* A profile as the admin listener sends it: in frames, with its progress between them. The class ProfileFrames defines the format. */
#ifndef REMORA_FRAMES_H
#define REMORA_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FRAME_LINE_SIZE = 80 };

struct frames {
    FILE *out;      /* for the profile */
    FILE *progress; /* for people */
    char line[FRAME_LINE_SIZE];
    size_t length;
    uint64_t left; /* bytes of the profile that are still to come in this frame */
    bool shown;
    bool ended;
    bool broken;
};

/* Takes a piece of the body, of any length. */
void take_frames(struct frames *frames, const char *text, size_t length);

#endif
