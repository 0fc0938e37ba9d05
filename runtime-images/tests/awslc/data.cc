// The data that AWS-LC's tests read: files of the folder REMORA_TEST_DATA. A test that asks for a file that the snapshot lacks is marked, so that own.py
// does not count it as run.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

std::string GetTestData(const char *path);

std::string GetTestData(const char *path) {
  const char *folder = getenv("REMORA_TEST_DATA");
  std::ifstream file(std::string(folder == nullptr ? "." : folder) + "/" + path, std::ios::binary);
  if (!file) {
    testing::Test::RecordProperty("absent", path);
    return "";
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
