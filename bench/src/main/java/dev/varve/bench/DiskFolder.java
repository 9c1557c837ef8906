package dev.varve.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** A new folder on the disk in question, deleted at the end. */
final class DiskFolder implements AutoCloseable {
    private final Path path;

    /** Makes one in a folder. */
    DiskFolder(Path parent) throws IOException {
        path = Files.createTempDirectory(parent, "varve-bench");
    }

    Path path() {
        return path;
    }

    /** Bytes that a folder in it takes of the disk, without the holes of its files. */
    OptionalLong bytes(String name) throws IOException, InterruptedException {
        List<String> lines = run("du", "-sk", path.resolve(name).toString());
        return lines.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(lines.getFirst().split("\\s")[0]) << 10);
    }

    /**
     * Asks the system to drop the files of a folder from its page cache; none may be open. Returns
     * whether the request was made.
     */
    boolean forget(String name) throws IOException, InterruptedException {
        boolean all = true;
        try (Stream<Path> files = Files.walk(path.resolve(name))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                // With a count of 0 nothing is written: it is flushed and dropped.
                all &=
                        !run(
                                        "dd",
                                        "of=" + file,
                                        "oflag=nocache",
                                        "conv=notrunc,fdatasync",
                                        "count=0")
                                .isEmpty();
            }
        }
        return all;
    }

    /** Returns the output of a program; empty if it is missing or fails. */
    private static List<String> run(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            List<String> lines = new ArrayList<>();
            try (var reader = process.inputReader(StandardCharsets.UTF_8)) {
                reader.lines().forEach(lines::add);
            }
            return process.waitFor() == 0 ? lines : List.of();
        } catch (IOException e) {
            return List.of();
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
