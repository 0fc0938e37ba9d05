/* A library with thread-local storage that the C library has room for once. Nothing is left then for the VM, see the tunable glibc.rtld.optional_static_tls. */
static __thread char room[1700] __attribute__((aligned(4)));

char *room_of_thread(void)
{
    return room;
}
