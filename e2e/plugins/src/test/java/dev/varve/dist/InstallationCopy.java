package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** An installation of its own for a test that adds plugins. */
final class InstallationCopy {
    private InstallationCopy() {}

    /** Copies the installation; returns its folder. */
    static Path in(Path folder) throws IOException {
        Path installation = folder.resolve("varve");
        try (Stream<Path> files = Files.walk(Varve.INSTALLATION)) {
            for (Path file : files.toList()) {
                Path target = installation.resolve(Varve.INSTALLATION.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        return installation;
    }
}
