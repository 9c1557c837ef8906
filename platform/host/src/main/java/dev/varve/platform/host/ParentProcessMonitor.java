package dev.varve.platform.host;

import dev.varve.api.transport.Listener;
import dev.varve.platform.setting.Setting;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ties a process to the one that started it, such as a shard to its server, which holds the
 * process's standard input open.
 */
public final class ParentProcessMonitor {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");
    private static final String UNIX = "unix:";
    private static final int LONGEST_TOKEN = 256;

    private ParentProcessMonitor() {}

    /**
     * Reads the secret that the server wrote to the first line of the input.
     *
     * @throws IllegalArgumentException if it is missing
     */
    public static String readToken(InputStream input) {
        try {
            StringBuilder token = new StringBuilder();
            for (int next = input.read(); next != '\n'; next = input.read()) {
                if (next < 0 || token.length() == LONGEST_TOKEN) {
                    throw new IllegalArgumentException(
                            Setting.SUPERVISED
                                    + ": expected a secret on the standard input, found "
                                    + (next < 0 ? "the end of input" : "a longer text"));
                }
                token.append((char) next);
            }
            return new String(
                    token.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends this process when the server has ended for any reason, even during a computation. */
    public static void endWith(InputStream input, Listener listener, String address) {
        endWith(
                input,
                () -> {
                    listener.close();
                    deleteFolder(address);
                });
    }

    /**
     * Ends this process when the one that started it has ended for any reason, even during a
     * computation.
     *
     * @param last runs before
     */
    public static void endWith(InputStream input, Runnable last) {
        Thread.ofPlatform()
                .name("varve-supervision")
                .daemon(true)
                .start(
                        () -> {
                            try {
                                while (input.read() >= 0) {
                                    // Discards input: the server sends nothing more.
                                }
                            } catch (IOException e) {
                                // Treated as the end of the input.
                            }
                            last.run();
                            Runtime.getRuntime().halt(0);
                        });
    }

    /**
     * Deletes the folder that the server created for the socket; a killed server cannot delete it.
     *
     * @param address with the transport's scheme
     */
    public static void deleteFolder(String address) {
        if (!address.startsWith(UNIX)) {
            return;
        }
        try {
            Path folder = Path.of(address.substring(UNIX.length())).toAbsolutePath().getParent();
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the socket''s folder was not deleted: {0}",
                    e.toString());
        }
    }
}
