package dev.varve.release;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Images of small folders, made and unpacked by the scripts; skipped without Python 3. */
class OciImageTest {
    private static final Path SCRIPTS =
            Path.of(System.getProperty("varve.test.root"), "tools", "release", "oci");

    @TempDir Path folder;

    @BeforeEach
    void requirePython() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "python3"))),
                "python3 is not on the PATH");
    }

    /** Writes a base and an installation; times and modes of their copies differ. */
    private Path inputs(String name, String mode) throws IOException {
        Path inputs = folder.resolve(name);
        for (String file :
                List.of(
                        "base/usr/bin/bash",
                        "base/etc/passwd",
                        "varve/bin/varve",
                        "varve/jre/bin/java",
                        "varve/docs/README.md",
                        "varve/lib/a.jar")) {
            Path path = inputs.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, file);
            Files.setLastModifiedTime(path, FileTime.fromMillis(name.hashCode() & 0xffff));
            boolean runs = file.contains("/bin/");
            Files.setPosixFilePermissions(
                    path, PosixFilePermissions.fromString(runs ? "rwx" + mode : "rw-" + mode));
        }
        Files.createSymbolicLink(inputs.resolve("base/bin"), Path.of("usr/bin"));
        return inputs;
    }

    private Path image(Path inputs, String... architectures) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--version=0.1.0", "--time=1700000000"));
        for (String architecture : architectures) {
            arguments.addAll(List.of("--platform", architecture));
            arguments.add(inputs.resolve("base").toString());
            arguments.add(inputs.resolve("varve").toString());
        }
        Path image = inputs.resolve("image.tar");
        arguments.add(image.toString());
        python("image.py", arguments);
        return image;
    }

    private static void python(String script, List<String> arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("python3", SCRIPTS.resolve(script).toString()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
    }

    /** Unpacks an image, whose digests the script checks, and returns its configuration. */
    private JsonNode unpack(Path image, String architecture) throws Exception {
        Path target = folder.resolve(architecture);
        python("unpack.py", List.of(image.toString(), architecture, target.toString()));
        return JsonMapper.shared().readTree(Files.readString(target.resolve("config.json")));
    }

    @Test
    void equalInputsGiveEqualBytes() throws Exception {
        Path first = image(inputs("first", "r-xr-x"), "amd64");
        Path second = image(inputs("second", "------"), "amd64");

        assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(second));
    }

    @Test
    void imageHasTheProgramAndItsUser() throws Exception {
        JsonNode config = unpack(image(inputs("only", "r-xr-x"), "amd64"), "amd64");

        Path root = folder.resolve("amd64/root");
        assertEquals("varve/bin/varve", Files.readString(root.resolve("opt/varve/bin/varve")));
        assertEquals(
                "varve/jre/bin/java", Files.readString(root.resolve("opt/varve/jre/bin/java")));
        assertEquals("base/usr/bin/bash", Files.readString(root.resolve("bin/bash")));
        assertTrue(Files.notExists(root.resolve("opt/varve/docs")));
        assertTrue(Files.readString(root.resolve("etc/passwd")).contains("varve:x:10001:10001:"));
        assertTrue(Files.isDirectory(root.resolve("var/cache/varve")));
        assertEquals("10001:10001", config.at("/config/User").asString());
        assertEquals("/opt/varve/bin/varve", config.at("/config/Entrypoint/0").asString());
        assertEquals("serve", config.at("/config/Cmd/0").asString());
        assertEquals("2023-11-14T22:13:20Z", config.get("created").asString());
        assertEquals(3, config.at("/rootfs/diff_ids").size());
    }

    @Test
    void oneImageHasSeveralArchitectures() throws Exception {
        Path image = image(inputs("both", "r-xr-x"), "amd64", "arm64");

        assertEquals("amd64", unpack(image, "amd64").get("architecture").asString());
        assertEquals("arm64", unpack(image, "arm64").get("architecture").asString());
    }
}
