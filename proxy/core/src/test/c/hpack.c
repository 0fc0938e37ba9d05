// nghttp2's HPACK on a line each of its input and its output, for scripts/test-hpack. Octets are in hexadecimal digits, and "-" is
// an empty string.
//   new              a connection; no answer
//   decode BLOCK     "ok", with names and values, or "error"
//   encode NAME VALUE ...   the block
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 20, FIELDS = 256, BLOCK = 1 << 18 };

static size_t read_octets(const char *text, uint8_t *octets) {
    size_t length = 0;
    for (; *text != '-' && text[0] && text[1]; text += 2) {
        char digits[3] = {text[0], text[1], 0};
        octets[length++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return length;
}

static void write_octets(const uint8_t *octets, size_t length) {
    printf(" ");
    for (size_t i = 0; i < length; i++) {
        printf("%02x", octets[i]);
    }
    if (length == 0) {
        printf("-");
    }
}

static void decode(nghttp2_hd_inflater *inflater, const char *text) {
    static uint8_t block[BLOCK];
    static char answer[4 * LINE];
    size_t left = read_octets(text, block);
    const uint8_t *at = block;
    size_t written = 0;
    int flags = 0;
    while (!(flags & NGHTTP2_HD_INFLATE_FINAL)) {
        nghttp2_nv line;
        flags = 0;
        ssize_t taken = nghttp2_hd_inflate_hd2(inflater, &line, &flags, at, left, 1);
        if (taken < 0 || (taken == 0 && flags == 0)) {
            puts("error");
            return;
        }
        at += taken;
        left -= (size_t)taken;
        if (flags & NGHTTP2_HD_INFLATE_EMIT) {
            const uint8_t *pieces[] = {line.name, line.value};
            size_t lengths[] = {line.namelen, line.valuelen};
            for (int piece = 0; piece < 2; piece++) {
                answer[written++] = ' ';
                for (size_t i = 0; i < lengths[piece]; i++) {
                    written += (size_t)sprintf(answer + written, "%02x", pieces[piece][i]);
                }
                if (lengths[piece] == 0) {
                    answer[written++] = '-';
                }
            }
        }
    }
    nghttp2_hd_inflate_end_headers(inflater);
    answer[written] = 0;
    printf("ok%s\n", answer);
}

static void encode(nghttp2_hd_deflater *deflater, char *text) {
    static uint8_t octets[LINE], block[BLOCK];
    nghttp2_nv lines[FIELDS];
    size_t count = 0, used = 0;
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        char *value = strtok(NULL, " ");
        lines[count].name = octets + used;
        used += lines[count].namelen = read_octets(name, octets + used);
        lines[count].value = octets + used;
        used += lines[count].valuelen = read_octets(value, octets + used);
        lines[count++].flags = NGHTTP2_NV_FLAG_NONE;
    }
    ssize_t length = nghttp2_hd_deflate_hd(deflater, block, sizeof block, lines, count);
    if (length < 0) {
        fprintf(stderr, "hpack: nghttp2 does not encode: %s\n", nghttp2_strerror((int)length));
        exit(1);
    }
    write_octets(block, (size_t)length);
    puts("");
}

int main(void) {
    static char line[LINE];
    nghttp2_hd_inflater *inflater = NULL;
    nghttp2_hd_deflater *deflater = NULL;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "new") == 0) {
            if (inflater) {
                nghttp2_hd_inflate_del(inflater);
                nghttp2_hd_deflate_del(deflater);
            }
            if (nghttp2_hd_inflate_new(&inflater) != 0 || nghttp2_hd_deflate_new(&deflater, 4096) != 0) {
                return 1;
            }
        } else if (strncmp(line, "decode ", 7) == 0) {
            decode(inflater, line + 7);
        } else if (strncmp(line, "encode", 6) == 0) {
            encode(deflater, line + 6);
        }
        fflush(stdout);
    }
    return 0;
}
