/* Loads libraries one after the other: "load LIBRARY ...". */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (dlopen(words[i], RTLD_NOW | RTLD_GLOBAL) == NULL) {
            puts(dlerror());
            return 1;
        }
        printf("loaded %s\n", words[i]);
    }
    return 0;
}
