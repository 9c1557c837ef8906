package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs {@code bin/varve} of the assembled installation. */
class LauncherIT {
    private static final Path INSTALLATION =
            Path.of(System.getProperty("varve.test.root"), "dist", "target", "varve");

    private record Outcome(int status, String out, String err) {}

    @TempDir Path folder;

    @Test
    void installationListsItsPlugins() throws Exception {
        Outcome outcome = run(Map.of("VARVE_AOT", "off"), "plugins");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().contains("dev.varve.plugin.cpu"), outcome.toString());
        assertTrue(outcome.out().contains("dev.varve.plugin.qwen35"), outcome.toString());
        assertFalse(outcome.out().contains("refused"), outcome.toString());
    }

    @Test
    void processorIsADeviceUnderStrictNativeAccess() throws Exception {
        Outcome outcome =
                run(
                        Map.of(
                                "VARVE_AOT",
                                "off",
                                "VARVE_JAVA_OPTS",
                                "--illegal-native-access=deny"),
                        "devices");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().startsWith("cpu:0"), outcome.toString());
        assertEquals("", outcome.err());
    }

    @Test
    @Tag("nightly")
    void startUpCacheIsCreatedOnceAndUsedSilently() throws Exception {
        Outcome first = run(Map.of(), "--version");
        List<Path> made = records();
        Outcome second = run(Map.of("VARVE_JAVA_OPTS", ""), "--version");

        assertEquals(1, made.size(), made.toString());
        assertEquals(made, records());
        assertEquals(first, second);
        assertEquals("", second.err());
        StartRecords.keep(folder.resolve("cache"));
    }

    @Test
    @Tag("nightly")
    void damagedStartUpCacheIsIgnored() throws Exception {
        StartRecords.lend(folder.resolve("cache"));
        run(Map.of(), "--version");
        assertFalse(records().isEmpty());
        for (Path record : records()) {
            Files.delete(record);
            Files.write(record, new byte[100]);
        }

        Outcome outcome = run(Map.of(), "--version");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().startsWith("varve "), outcome.toString());
        assertEquals("", outcome.err());
    }

    @Test
    void unwritableCacheFolderIsIgnored() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));

        Outcome outcome = run(Map.of("VARVE_CACHE", file.resolve("cache").toString()), "--version");

        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals("", outcome.err());
    }

    @Test
    @Tag("nightly")
    void withoutAHomeAFolderOwnedByTheUserIsUsed() throws Exception {
        Path missing = folder.resolve("missing");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Map<String, String> variables =
                Map.of(
                        "VARVE_CACHE",
                        "",
                        "XDG_CACHE_HOME",
                        "",
                        "HOME",
                        missing.toString(),
                        "TMPDIR",
                        temporary.toString());

        Outcome first = run(variables, "devices");
        List<String> kept = files(temporary);
        Outcome second = run(variables, "devices");

        assertEquals(0, first.status(), first.toString());
        assertEquals(first.status(), second.status());
        assertFalse(Files.exists(missing));
        assertEquals(1, kept.size(), kept.toString());
        assertAllIsKeptIn(temporary.resolve(kept.getFirst()));
        assertEquals(kept, files(temporary));
    }

    @Test
    @Tag("nightly")
    void folderWritableByOthersIsNotUsed() throws Exception {
        Path home = Files.createDirectory(folder.resolve("home"));
        Path open = Files.createDirectories(home.resolve(".cache/varve"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path temporary = Files.createDirectory(folder.resolve("tmp"));

        Outcome outcome =
                run(
                        Map.of(
                                "VARVE_CACHE",
                                "",
                                "XDG_CACHE_HOME",
                                "",
                                "HOME",
                                home.toString(),
                                "TMPDIR",
                                temporary.toString()),
                        "devices");

        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals(List.of(), files(open));
        assertAllIsKeptIn(temporary.resolve(files(temporary).getFirst()));
    }

    private static void assertAllIsKeptIn(Path own) throws IOException {
        assertEquals(
                "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
        for (String prefix : new String[] {"start-", "ggml-"}) {
            assertTrue(
                    files(own).stream().anyMatch(name -> name.startsWith(prefix)),
                    prefix + " among " + files(own));
        }
    }

    @Test
    void unwritableCacheIsRefusedByItsVariable() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));

        Outcome outcome =
                run(
                        Map.of("VARVE_CACHE", file.toString(), "VARVE_AOT", "off"),
                        "generate",
                        "--prompt",
                        "x");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err().contains("set VARVE_CACHE to a folder of your own"),
                outcome.toString());
    }

    @Test
    void symbolicLinkStartsTheSameInstallation() throws Exception {
        Path link =
                Files.createSymbolicLink(
                        folder.resolve("varve"), INSTALLATION.resolve("bin/varve"));

        Outcome outcome = run(link, Map.of("VARVE_AOT", "off"), "plugins");

        assertTrue(outcome.out().contains("dev.varve.plugin.cpu"), outcome.toString());
    }

    @Test
    void oldJavaIsRefusedByItsVersion() throws Exception {
        Path home = Files.createDirectories(folder.resolve("old"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nexit 0\n");
        assertTrue(java.toFile().setExecutable(true));

        Outcome outcome = run(Map.of("VARVE_JAVA_HOME", home.toString()), "--version");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("found version 17"), outcome.toString());
    }

    @Test
    void javaOpensPackagesOnlyForDiskStores() throws Exception {
        Path home = Files.createDirectories(folder.resolve("printing"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
        assertTrue(java.toFile().setExecutable(true));
        Map<String, String> environment =
                Map.of("VARVE_JAVA_HOME", home.toString(), "VARVE_AOT", "off");

        for (String[] arguments :
                List.of(
                        new String[] {"serve", "--kv-cache-dir", "/x"},
                        new String[] {"serve", "--model", "m", "--kv-cache-dir=/x"},
                        new String[] {"cache", "list"})) {
            String command = run(environment, arguments).out();
            assertTrue(command.contains("--add-opens=java.base/java.lang=ALL-UNNAMED "), command);
            assertTrue(command.contains(" --sun-misc-unsafe-memory-access=allow "), command);
        }
        for (String[] arguments :
                List.of(new String[] {"serve"}, new String[] {"generate", "--prompt", "cache"})) {
            String command = run(environment, arguments).out();
            assertFalse(command.contains("--add-"), command);
            assertFalse(command.contains("unsafe"), command);
        }
    }

    @Test
    void missingModelIsOneLineAndStatusOne() throws Exception {
        Outcome outcome =
                run(
                        Map.of("VARVE_AOT", "off"),
                        "generate",
                        "--model",
                        "no-such.gguf",
                        "--prompt",
                        "x");

        assertEquals(new Outcome(1, "", "varve: no-such.gguf: no such file\n"), outcome);
    }

    @Test
    void unknownOptionIsAUsageError() throws Exception {
        Outcome outcome = run(Map.of("VARVE_AOT", "off"), "devices", "--colour");

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err().startsWith("varve: Unknown option: '--colour'"), outcome.toString());
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private List<Path> records() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            return files.filter(file -> file.toString().endsWith(".aot")).toList();
        }
    }

    private Outcome run(Map<String, String> environment, String... arguments) throws Exception {
        return run(INSTALLATION.resolve("bin/varve"), environment, arguments);
    }

    private Outcome run(Path launcher, Map<String, String> environment, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().put("VARVE_CACHE", folder.resolve("cache").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "no end of " + command);
        return new Outcome(process.exitValue(), read(out), read(err));
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
