package dev.varve.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Parts of tests in processes of their own. Mesa's software renderer keeps every shader that it
 * ever made, and the release of Debian 12 breaks the heap of its process when these become too
 * many; those of one test are far from that.
 */
final class OwnProcess {
    private static final int MINUTES = 3;

    private OwnProcess() {}

    /** Runs in the process: class, static method that takes a folder, the folder. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        Class.forName(arguments[0])
                .getDeclaredMethod(arguments[1], Path.class)
                .invoke(null, Path.of(arguments[2]));
        // Nothing is unloaded: the renderer would crash on it as well.
        Runtime.getRuntime().halt(0);
    }

    /**
     * Calls a static method of this package in a process.
     *
     * @param method takes a {@link Path}
     * @param folder folder to which it may write
     */
    static void call(Class<?> type, String method, Path folder) {
        run(OwnProcess.class, folder, List.of(type.getName(), method, folder.toString()));
    }

    /**
     * Runs a program, and fails with its output unless it succeeds.
     *
     * @param folder for its output
     */
    static void run(Class<?> program, Path folder, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        // The renderer takes the time, not Java: see test.compiler of the build.
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dvarve.test.natives=" + System.getProperty("varve.test.natives"),
                        "-Dvarve.test.natives.vulkan="
                                + System.getProperty("varve.test.natives.vulkan"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName()));
        command.addAll(arguments);
        try {
            Path output = Files.createTempFile(folder, "output", ".txt");
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            process.destroyForcibly();
            if (!ended || process.waitFor() != 0) {
                throw new AssertionError(
                        program.getSimpleName()
                                + " "
                                + arguments
                                + " ended with "
                                + process.waitFor()
                                + ": "
                                + Files.readString(output));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
