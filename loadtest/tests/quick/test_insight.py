"""What an observer is said to add to a sidecar."""
import re
import unittest
import xml.etree.ElementTree

from remora_measure.comparisons import insight
from remora_measure.systems import flight_settings


class Added(unittest.TestCase):

    def test_cpu_time_is_compared_within_each_window(self):
        """The second window ran at half the speed, and the second sidecar has slower code."""
        found = insight.added_cpu(({"cpu_us": 102.0}, {"cpu_us": 110.0}), ({"cpu_us": 224.4}, {"cpu_us": 200.0}))
        self.assertAlmostEqual(2.0, found["added_cpu_percent"])

    def test_memory_is_compared_with_the_other_window_of_the_same_sidecar(self):
        found = insight.added_memory({"private_mb": 12.5, "rss_mb": 21.0}, {"private_mb": 11.0, "rss_mb": 21.0})
        self.assertEqual({"added_private_mb": 1.5, "added_rss_mb": 0.0}, found)

    def test_a_first_use_is_the_growth_of_private_memory(self):
        self.assertEqual({"first_use_private_mb": 2.5}, insight.first_use(11.0, 13.5))
        self.assertEqual({}, insight.first_use(None, 13.5))
        self.assertEqual({}, insight.first_use(11.0, None))

    def test_what_one_of_them_lacks_is_left_out(self):
        self.assertEqual({}, insight.added_cpu(({"cpu_us": 102.0}, {"cpu_us": None}), ({"cpu_us": 102.0}, {"cpu_us": 100.0})))
        self.assertEqual({"added_rss_mb": 1.0}, insight.added_memory({"private_mb": None, "rss_mb": 21.0}, {"private_mb": 11.0, "rss_mb": 20.0}))

    def test_the_table_shows_the_median_and_the_range(self):
        rows = [{"cpu_us": 100.0, "added_cpu_percent": value} for value in (0.5, 1.0, 2.0)]
        line = insight.table({"dashboard": rows}).splitlines()[-1]
        self.assertIn("dashboard", line)
        self.assertIn("1.0 (0.5 .. 2.0)", line)

    def test_each_group_of_a_recording_has_its_events_and_no_others(self):
        events = {name: re.findall(r'<event name="([^"]+)">', flight_settings.of_group(name)) for name in flight_settings.GROUPS}
        for name, event in {"cpu": "jdk.ExecutionSample", "allocation": "jdk.ObjectAllocationSample", "pauses": "jdk.SafepointBegin", "memory": "jdk.GarbageCollection",
                            "compiler": "jdk.Compilation", "errors": "jdk.JavaErrorThrow", "host": "jdk.CPUInformation", "sidecar": "io.remora.Exchange"}.items():
            self.assertIn(event, events[name])
        found = [event for group in events.values() for event in group]
        self.assertEqual(sorted(found), sorted(set(re.findall(r'<event name="([^"]+)">', flight_settings.FILE.read_text()))))

    def test_settings_of_a_recording_are_whole(self):
        for text in (flight_settings.of_tlabs(), flight_settings.of_allocations(150), *map(flight_settings.of_group, flight_settings.GROUPS)):
            self.assertEqual("configuration", xml.etree.ElementTree.fromstring(text.encode()).tag)

    def test_unknown_observers_are_refused(self):
        with self.assertRaisesRegex(Exception, "no observer view.*dashboard"):
            insight.run(insight.read_arguments(["--only", "view"]))


if __name__ == "__main__":
    unittest.main()
