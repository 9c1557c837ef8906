package dev.varve.platform.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks the values of options that name folders. */
final class FolderOption {
    private FolderOption() {}

    /**
     * Returns the absolute paths of folders.
     *
     * @param option name of the option, for messages
     * @throws UsageException if one is no folder
     */
    static List<Path> check(String option, List<Path> folders) {
        for (Path folder : folders) {
            if (!Files.isDirectory(folder)) {
                throw new UsageException(option + ": expected a folder, found " + folder);
            }
        }
        return folders.stream().map(Path::toAbsolutePath).toList();
    }
}
