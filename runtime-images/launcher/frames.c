#include "frames.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of a frame at most. */
enum { LONGEST = 1 << 20 };

static void take_line(struct frames *frames) {
    uint64_t done, all, samples;
    if (sscanf(frames->line, "progress %5" SCNu64 " %5" SCNu64 " %12" SCNu64, &done, &all, &samples) == 3) {
        fprintf(frames->progress, "\r%" PRIu64 "/%" PRIu64 " s, %" PRIu64 " samples ", done, all, samples);
        fflush(frames->progress);
        frames->shown = true;
    } else if (sscanf(frames->line, "data %8" SCNu64, &frames->left) == 1) {
        frames->broken = frames->left > LONGEST;
    } else if (strcmp(frames->line, "end") == 0) {
        frames->ended = true;
    } else {
        frames->broken = true;
    }
    frames->length = 0;
    if (frames->ended && frames->shown) {
        fputc('\n', frames->progress);
    }
}

void take_frames(struct frames *frames, const char *text, size_t length) {
    size_t at = 0;
    while (at < length && !frames->broken) {
        if (frames->left > 0) {
            size_t part = length - at < frames->left ? length - at : (size_t)frames->left;
            fwrite(text + at, 1, part, frames->out);
            frames->left -= part;
            at += part;
        } else if (frames->ended || frames->length == FRAME_LINE_SIZE - 1) {
            frames->broken = true;
        } else if (text[at] == '\n') {
            frames->line[frames->length] = '\0';
            at++;
            take_line(frames);
        } else {
            frames->line[frames->length++] = text[at++];
        }
    }
}
