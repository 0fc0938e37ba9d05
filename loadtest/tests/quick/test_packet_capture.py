"""Time in a proxy from a packet capture whose packets and times are made by hand."""
import struct
import tempfile
import unittest
from pathlib import Path

from remora_measure.load import packet_capture

PROXY, BACKEND, CLIENT, POOLED = 8080, 8081, 40001, 50001
MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
ETHERNET, LINUX_SLL, LINUX_SLL2 = (1, 14), (113, 16), (276, 20)


def segment(source, destination, payload, link_bytes=14, protocol=6):
    tcp = struct.pack(">HHIIBBHHH", source, destination, 0, 0, 5 << 4, 0x18, 0, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0, 64, protocol, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
    return b"\0" * link_bytes + ip + tcp + payload


def request(name):
    return b"GET /body HTTP/1.1\r\nHost: a\r\nX-Probe: " + name.encode() + b"\r\n\r\n"


RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def exchange(name, at_us, in_us, backend_us, out_us, client=CLIENT, pooled=POOLED, **link):
    """(time in us, frame) of the four packets: the proxy takes in_us there and out_us back."""
    times = (at_us, at_us + in_us, at_us + in_us + backend_us, at_us + in_us + backend_us + out_us)
    frames = (segment(client, PROXY, request(name), **link), segment(pooled, BACKEND, request(name), **link),
              segment(BACKEND, pooled, RESPONSE, **link), segment(PROXY, client, RESPONSE, **link))
    return list(zip(times, frames))


class Wire(unittest.TestCase):
    def times(self, packets, magic=MICROSECONDS, link=ETHERNET, cut=0):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "wire.pcap")
            data = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 400, link[0])
            for at_us, frame in sorted(packets):
                seconds, rest_us = divmod(at_us, 1_000_000)
                fraction = rest_us * (1000 if magic == NANOSECONDS else 1)
                data += struct.pack("<IIII", seconds, fraction, len(frame), len(frame)) + frame
            path.write_bytes(data[: len(data) - cut])
            return [round(value) for value in packet_capture.times(path, PROXY, BACKEND)]

    def test_both_halves_count_and_the_backend_does_not(self):
        self.assertEqual([150], self.times(exchange("1", 1_000_000, 100, 5_000, 50)))

    def test_reads_both_resolutions_and_every_kind_of_link(self):
        for magic in (MICROSECONDS, NANOSECONDS):
            for link in (ETHERNET, LINUX_SLL, LINUX_SLL2):
                packets = exchange("1", 999_990, 100, 700, 50, link_bytes=link[1])
                self.assertEqual([150], self.times(packets, magic, link), (hex(magic), link))

    def test_exchanges_that_overlap_are_told_apart_by_their_ids(self):
        first = exchange("1", 0, 500, 100, 10, client=40001, pooled=50001)
        second = exchange("p2", 5, 20, 1_000, 30, client=40002, pooled=50002)
        self.assertEqual([50, 510], self.times(first + second))

    def test_an_id_is_found_whatever_the_case_of_its_field(self):
        packets = exchange("1", 0, 100, 100, 50)
        packets[1] = (packets[1][0], segment(POOLED, BACKEND, b"GET / HTTP/1.1\r\nx-probe: 1\r\n\r\n"))
        self.assertEqual([150], self.times(packets))

    def test_an_exchange_without_one_of_its_packets_is_not_counted(self):
        for lost in range(4):
            packets = exchange("1", 0, 100, 100, 50)
            del packets[lost]
            later = exchange("2", 10_000, 1, 1, 1, client=40002, pooled=50002)
            self.assertEqual([2], self.times(packets + later), lost)

    def test_only_the_first_packet_of_a_response_counts(self):
        more = [(400, segment(BACKEND, POOLED, b"rest")), (900, segment(PROXY, CLIENT, b"rest"))]
        self.assertEqual([150], self.times(exchange("1", 0, 100, 100, 50) + more))

    def test_acknowledgements_and_other_protocols_are_passed_over(self):
        noise = [(50, segment(PROXY, CLIENT, b"")), (60, segment(CLIENT, PROXY, request("1"), protocol=17)),
                 (70, b"\0" * 14 + b"\x60" + b"\0" * 60)]
        self.assertEqual([150], self.times(exchange("1", 0, 100, 100, 50) + noise))

    def test_a_capture_that_was_cut_short_is_read_as_far_as_it_goes(self):
        packets = exchange("1", 0, 100, 100, 50) + exchange("2", 10_000, 1, 1, 1)
        self.assertEqual([150], self.times(packets, cut=len(packets[-1][1]) + 3))

    def test_percentiles_of_known_times(self):
        packets = [packet for number in range(1000) for packet in exchange(str(number), 10_000 * number, number, 500, 1)]
        told = packet_capture.summary(self.times(packets))
        self.assertEqual((1000, 500, 900, 990, 999, 1000),
                         (told["count"], *(told[key] for key in ("p50_us", "p90_us", "p99_us", "p999_us", "max_us"))))
        self.assertEqual([100.0, 1000], told["curve"][-1])
        self.assertEqual(sorted(told["curve"]), told["curve"])

    def test_the_difference_of_two_summaries(self):
        direct, through = packet_capture.summary([100.0] * 1000), packet_capture.summary([float(100 + value) for value in range(1000)])
        added = packet_capture.difference(through, direct)
        self.assertEqual((499, 989, 999), (added["p50_us"], added["p99_us"], added["max_us"]))
        self.assertAlmostEqual(999, added["curve"][-1][1])


if __name__ == "__main__":
    unittest.main()
