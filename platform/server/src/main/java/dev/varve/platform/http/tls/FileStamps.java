package dev.varve.platform.http.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What tells whether files changed, without reading them.
 *
 * @param files one for each; empty for a file that is not there
 */
record FileStamps(List<Optional<Stamp>> files) {
    /**
     * Of one file.
     *
     * @param identity of the file itself, where a name that stayed may lead to another one
     */
    private record Stamp(FileTime changed, long bytes, Optional<Object> identity) {}

    static FileStamps of(Path... files) {
        List<Optional<Stamp>> stamps = new ArrayList<>();
        for (Path file : files) {
            stamps.add(stamp(file));
        }
        return new FileStamps(List.copyOf(stamps));
    }

    private static Optional<Stamp> stamp(Path file) {
        try {
            BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(
                    new Stamp(
                            facts.lastModifiedTime(),
                            facts.size(),
                            Optional.ofNullable(facts.fileKey())));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
