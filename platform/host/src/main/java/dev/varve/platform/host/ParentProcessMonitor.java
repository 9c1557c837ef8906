package dev.varve.platform.host;

import dev.varve.api.transport.Listener;
import dev.varve.platform.setting.Setting;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A shard process and the server that started it, which holds the process' standard input open. */
public final class ParentProcessMonitor {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");
    private static final String UNIX = "unix:";
    private static final int LONGEST_TOKEN = 256;

    private ParentProcessMonitor() {}

    /**
     * The secret that the server gave this process: the first line of the input.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static String readToken(InputStream input) {
        try {
            StringBuilder token = new StringBuilder();
            for (int next = input.read(); next != '\n'; next = input.read()) {
                if (next < 0 || token.length() == LONGEST_TOKEN) {
                    throw new IllegalArgumentException(
                            Setting.SUPERVISED
                                    + ": expected a secret on the standard input, found "
                                    + (next < 0 ? "its end" : "a longer text"));
                }
                token.append((char) next);
            }
            return new String(
                    token.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Ends this process when the server is gone, however it went, even while something computes.
     */
    public static void endWith(InputStream input, Listener listener, String address) {
        Thread.ofPlatform()
                .name("varve-supervision")
                .daemon(true)
                .start(
                        () -> {
                            try {
                                while (input.read() >= 0) {
                                    // Nothing more is said on this way.
                                }
                            } catch (IOException e) {
                                // As good as its end.
                            }
                            listener.close();
                            deleteFolder(address);
                            Runtime.getRuntime().halt(0);
                        });
    }

    /**
     * Deletes the folder that the server made for the socket, which it cannot do any more if it was
     * killed.
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
            LOG.log(System.Logger.Level.DEBUG, "the socket''s folder stays: {0}", e.toString());
        }
    }
}
