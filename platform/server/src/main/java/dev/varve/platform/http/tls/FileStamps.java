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
 * Stamps by which changes of files are detected without reading them.
 *
 * @param files one stamp for each file; empty for a missing file
 */
record FileStamps(List<Optional<Stamp>> files) {
    /**
     * Stamp of one file.
     *
     * @param identity key of the file itself, since an unchanged path may point to another file
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
