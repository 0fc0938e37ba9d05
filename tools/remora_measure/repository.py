"""Where things lie in this repository."""
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LOADTEST = REPOSITORY / "loadtest"
REPORTS = LOADTEST / "reports"
JVM_PROFILES = REPOSITORY / "jvm-profiles"
RUNTIME_IMAGES = REPOSITORY / "runtime-images"
# One directory for each runtime image that has been built.
BUILT_IMAGES = RUNTIME_IMAGES / "target"
LAUNCHER = REPOSITORY / "proxy/bin/remora"
SIDECAR_JAR = REPOSITORY / "proxy/core/target/remora.jar"
SIDECAR_LIBRARIES = REPOSITORY / "proxy/core/target/lib"
# Its manifest names the rest of Finagle's engine.
FINAGLE_JAR = REPOSITORY / "proxy/finagle/target/remora-finagle.jar"
