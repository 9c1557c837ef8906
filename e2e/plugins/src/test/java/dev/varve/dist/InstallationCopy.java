package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An installation of its own for a test that adds plugins. It shares all other files, also the
 * start-up cache, which names the shared jars.
 */
final class InstallationCopy {
    /** The launcher finds its installation by its own place. */
    private static final Set<String> COPIED = Set.of("bin", "plugins");

    private InstallationCopy() {}

    /** Copies the installation; returns its folder. */
    static Path in(Path folder) throws IOException {
        Path installation = Files.createDirectory(folder.resolve("varve"));
        for (Path part : list(Varve.INSTALLATION)) {
            Path target = installation.resolve(part.getFileName());
            if (COPIED.contains(part.getFileName().toString())) {
                copy(part, target);
            } else {
                Files.createSymbolicLink(target, part.toRealPath());
            }
        }
        return installation;
    }

    private static void copy(Path source, Path target) throws IOException {
        if (Files.isDirectory(source)) {
            Files.createDirectory(target);
            for (Path file : list(source)) {
                copy(file, target.resolve(file.getFileName()));
            }
        } else {
            Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
