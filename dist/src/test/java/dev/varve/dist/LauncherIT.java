package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
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
    void startUpCacheOfTheInstallationIsUsedWhereItFits() throws Exception {
        Path launcher = smallInstallation();
        Map<String, String> java = Map.of("VARVE_JAVA_HOME", recordingJava().toString());

        assertEquals(0, run(launcher, java, "warm-up", "--into-installation").status());

        Path made = launcher.resolve("../../start/start.aot").normalize();
        assertTrue(command(launcher, java, "devices").contains("-XX:AOTCache=" + made + " "));
        Map<String, String> others = new HashMap<>(java);
        others.put(
                "VARVE_JAVA_OPTS", "-Xmx2g -XX:TieredStopAtLevel=1 -Xlog:gc -Ddev.varve.other=1");
        assertTrue(command(launcher, others, "devices").contains("-XX:AOTCache=" + made + " "));
        others.put("VARVE_JAVA_OPTS", "-Dother=1");
        assertTrue(command(launcher, others, "devices").contains("-Dvarve.start-cache=plain "));
        assertTrue(
                command(launcher, java, "serve", "--kv-cache-dir", "x")
                        .contains("-Dvarve.start-cache=disk "));
        Files.writeString(
                Path.of(java.get("VARVE_JAVA_HOME"), "release"),
                "JAVA_VERSION=\"25.0.2\"\nBUILD=2\n");
        assertTrue(command(launcher, java, "devices").contains("-Dvarve.start-cache=plain "));
    }

    @Test
    void startUpCacheFitsAnInstallationThatSharesTheJars() throws Exception {
        Path launcher = smallInstallation();
        Map<String, String> java = Map.of("VARVE_JAVA_HOME", recordingJava().toString());
        assertEquals(0, run(launcher, java, "warm-up", "--into-installation").status());
        Path first = launcher.resolve("../..").normalize();
        Path second = Files.createDirectory(folder.toRealPath().resolve("second"));
        for (String shared : List.of("lib", "conf", "start")) {
            Files.createSymbolicLink(second.resolve(shared), first.resolve(shared));
        }
        Path other = Files.createDirectory(second.resolve("bin")).resolve("varve");
        Files.copy(launcher, other, StandardCopyOption.COPY_ATTRIBUTES);

        String command = command(other, java, "devices");

        assertTrue(command.contains("--module-path " + first.resolve("lib") + " "), command);
        assertTrue(command.contains("-XX:AOTCache=" + second + "/start/start.aot "), command);
        assertTrue(command.contains("-Dvarve.home=" + second + " "), command);
    }

    @Test
    void startUpCacheInTheCacheFolderFitsOneSetOfJars() throws Exception {
        Path launcher = smallInstallation();
        Map<String, String> java = Map.of("VARVE_JAVA_HOME", recordingJava().toString());

        assertTrue(command(launcher, java, "devices").contains("-Dvarve.start-cache=plain "));
        assertEquals(List.of(), records());
        assertEquals(0, run(launcher, java, "warm-up").status());
        assertEquals(0, run(launcher, java, "warm-up").status());

        assertEquals(1, records().size(), records().toString());
        assertTrue(
                command(launcher, java, "devices")
                        .contains("-XX:AOTCache=" + records().getFirst() + " "));
        Files.writeString(launcher.resolve("../../lib/a.jar").normalize(), "other content");
        assertTrue(command(launcher, java, "devices").contains("-Dvarve.start-cache=plain "));
    }

    @Test
    void startUpCacheOfAJavaBehindALinkIsFound() throws Exception {
        Path launcher = smallInstallation();
        Path java = recordingJava();
        Path link = Files.createSymbolicLink(folder.resolve("current"), java);

        assertEquals(
                0, run(launcher, Map.of("VARVE_JAVA_HOME", java.toString()), "warm-up").status());

        String command = command(launcher, Map.of("VARVE_JAVA_HOME", link.toString()), "devices");
        assertTrue(command.contains("-XX:AOTCache=" + records().getFirst() + " "), command);
    }

    @Test
    void installationWithAnotherJarDoesNotUseItsStartUpCache() throws Exception {
        Path launcher = smallInstallation();
        Map<String, String> java = Map.of("VARVE_JAVA_HOME", recordingJava().toString());
        run(launcher, java, "warm-up", "--into-installation");

        Files.writeString(launcher.resolve("../../lib/a.jar").normalize(), "other content");

        String command = command(launcher, java, "devices");
        assertTrue(command.contains("-Dvarve.start-cache=plain "), command);
    }

    @Test
    void failedCreationOfTheStartUpCacheIsNotRepeatedAtEachStart() throws Exception {
        Path launcher = smallInstallation();
        Path home = java("[[ $* == *AOTCacheOutput* ]] && exit 3; echo \"$@\"");
        Map<String, String> java = Map.of("VARVE_JAVA_HOME", home.toString());

        assertEquals(1, run(launcher, java, "warm-up").status());

        String command = command(launcher, java, "devices");
        assertFalse(command.contains("start-cache") || command.contains("AOTCache"), command);
    }

    @Test
    void trainingRunThatDoesNotEndIsGivenUp() throws Exception {
        Path launcher = smallInstallation();
        Path home = java("[[ $* == *AOTCacheOutput* ]] && exec sleep 1000; echo \"$@\"");
        Map<String, String> java = Map.of("VARVE_JAVA_HOME", home.toString());

        Outcome outcome = run(launcher, java, "warm-up", "--timeout", "1");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().startsWith("varve: the training run for "), outcome.toString());
        assertTrue(outcome.err().endsWith(" did not end within 1 s\n"), outcome.toString());
        assertEquals(List.of(), records());
        String command = command(launcher, java, "devices");
        assertFalse(command.contains("start-cache") || command.contains("AOTCache"), command);
    }

    @Test
    void unknownFlagOfWarmUpIsAUsageError() throws Exception {
        Outcome outcome = run(Map.of(), "warm-up", "--into");

        assertEquals(2, outcome.status(), outcome.toString());
        assertEquals("varve: warm-up: unknown flag --into\n", outcome.err());
    }

    /** Java does not compress references of such a heap, so that the record does not fit. */
    @Test
    void largeHeapHasAStartUpCacheOfItsOwn() throws Exception {
        Path launcher = smallInstallation();
        Map<String, String> java = new HashMap<>();
        java.put("VARVE_JAVA_HOME", recordingJava().toString());
        assertEquals(0, run(launcher, java, "warm-up", "--into-installation").status());

        for (String small : List.of("-Xmx31g", "-Xmx40g -Xmx2048m", "-Xmx1000000")) {
            java.put("VARVE_JAVA_OPTS", small);
            String command = command(launcher, java, "devices");
            assertTrue(command.contains("-XX:AOTCache="), command);
        }
        for (String large : List.of("-Xmx32g", "-Xmx1T", "-Xmx32768m", "-Xmx34359738368")) {
            java.put("VARVE_JAVA_OPTS", large);
            String command = command(launcher, java, "devices");
            assertTrue(command.contains("-Dvarve.start-cache=plain "), command);
        }
        assertEquals(0, run(launcher, java, "warm-up").status());
        assertTrue(
                command(launcher, java, "devices")
                        .contains("-XX:AOTCache=" + records().getFirst() + " "));
    }

    @Test
    void interruptedCreationOfTheStartUpCacheLeavesNothing() throws Exception {
        Path launcher = smallInstallation();
        Path begun = folder.resolve("begun");
        Path java =
                java(
                        "echo $$ >"
                                + begun
                                + ".new; mv "
                                + begun
                                + ".new "
                                + begun
                                + "; exec sleep 1000");
        Process process = process(launcher, Map.of("VARVE_JAVA_HOME", java.toString()), "warm-up");
        Await.until("it has begun", () -> Files.exists(begun) || !process.isAlive());
        assertTrue(process.isAlive(), "the launcher ended early");

        process.destroy();

        assertEquals(143, process.waitFor());
        long child = Long.parseLong(Files.readString(begun).strip());
        ProcessHandle.of(child).ifPresent(handle -> handle.onExit().join());
        assertEquals(List.of(), files(folder.resolve("cache")));
    }

    @Test
    @Tag("nightly")
    void damagedStartUpCacheIsIgnored() throws Exception {
        Map<String, String> options = Map.of("VARVE_JAVA_OPTS", "-Dother=1");
        run(options, "warm-up");
        assertEquals(1, records().size(), records().toString());
        assertEquals("", run(options, "--version").err());
        for (Path record : records()) {
            Files.write(record, new byte[100]);
        }

        Outcome outcome = run(options, "--version");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().startsWith("varve "), outcome.toString());
        assertEquals("", outcome.err());
    }

    @Test
    @Tag("nightly")
    void serverCreatesTheMissingStartUpCache() throws Exception {
        Map<String, String> options = Map.of("VARVE_JAVA_OPTS", "-Dother=2");

        Process server = process(INSTALLATION.resolve("bin/varve"), options, "serve", "--port=0");
        try {
            while (records().isEmpty()) {
                assertTrue(server.isAlive(), () -> "the server ended early");
                // Other programs may leave a run of low priority too little time.
                String log = read(folder.resolve("err.txt"));
                assertFalse(log.contains("the start-up cache was not created"), log);
                Thread.onSpinWait();
            }
        } finally {
            server.destroy();
        }

        assertEquals(143, server.waitFor());
        String log = read(folder.resolve("err.txt"));
        assertTrue(log.contains("creating the start-up cache in the background"), log);
    }

    /** An installation without plugins and models, for a Java that prints its arguments. */
    private Path smallInstallation() throws IOException {
        Path home = folder.toRealPath().resolve("installation");
        for (String part : List.of("bin/varve", "conf/java.options")) {
            Files.createDirectories(home.resolve(part).getParent());
            Files.copy(
                    INSTALLATION.resolve(part),
                    home.resolve(part),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path disk = Files.createDirectories(home.resolve("plugins/disk")).resolve("java.options");
        Files.writeString(disk, "--add-opens=java.base/java.lang=ALL-UNNAMED\n");
        Files.writeString(Files.createDirectory(home.resolve("lib")).resolve("a.jar"), "content");
        return home.resolve("bin/varve");
    }

    /** A Java that prints its arguments, and writes a start-up cache when it should. */
    private Path recordingJava() throws IOException {
        return java(
                """
                for argument in "$@"; do
                  [[ $argument != -XX:AOTCacheOutput=* ]] || echo x >"${argument#*=}"
                done
                echo "$@"
                """);
    }

    private Path java(String script) throws IOException {
        Path home = Files.createTempDirectory(folder.toRealPath(), "java");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/bash\n" + script + "\n");
        assertTrue(java.toFile().setExecutable(true));
        return home;
    }

    /** The arguments with which Java starts. */
    private String command(Path launcher, Map<String, String> environment, String... arguments)
            throws Exception {
        Outcome outcome = run(launcher, environment, arguments);
        assertEquals(0, outcome.status(), outcome.toString());
        return outcome.out();
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
        assertTrue(
                files(own).stream().anyMatch(name -> name.startsWith("ggml-")),
                files(own).toString());
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
        Path home = java("echo \"$@\"");
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
        assertTrue(outcome.err().startsWith("varve: unknown flag --colour"), outcome.toString());
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private List<Path> records() throws IOException {
        if (!Files.isDirectory(folder.resolve("cache"))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            return files.filter(file -> file.toString().endsWith(".aot")).toList();
        }
    }

    private Outcome run(Map<String, String> environment, String... arguments) throws Exception {
        return run(INSTALLATION.resolve("bin/varve"), environment, arguments);
    }

    private Outcome run(Path launcher, Map<String, String> environment, String... arguments)
            throws Exception {
        Process process = process(launcher, environment, arguments);
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "no end of " + List.of(arguments));
        return new Outcome(
                process.exitValue(),
                read(folder.resolve("out.txt")),
                read(folder.resolve("err.txt")));
    }

    private Process process(Path launcher, Map<String, String> environment, String... arguments)
            throws IOException {
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
        return builder.start();
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
