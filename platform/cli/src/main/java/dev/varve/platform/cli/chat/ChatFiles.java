package dev.varve.platform.cli.chat;

import java.nio.file.Path;

/** Names of files in commands. */
final class ChatFiles {
    private static final String HOME = "~/";

    private ChatFiles() {}

    /**
     * Returns the path of a name, in which {@code ~/} is the user's home folder.
     *
     * @throws java.nio.file.InvalidPathException if the name is no path
     */
    static Path path(String name) {
        return name.startsWith(HOME)
                ? Path.of(System.getProperty("user.home"), name.substring(HOME.length()))
                : Path.of(name);
    }
}
