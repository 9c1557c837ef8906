package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Servers of demo models with one thread, 64 MiB of host memory and q8_0 caches. */
final class DemoServers {
    private DemoServers() {}

    /**
     * Starts one.
     *
     * @param home folder for what it keeps
     * @param family part of the name of the demo model
     * @param more further arguments
     */
    static Varve.Server serve(Path home, String family, Object... more) throws IOException {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        Varve.INSTALLATION.resolve("models/varve-demo-" + family + ".gguf"),
                        "--threads",
                        1,
                        "--cache-ram",
                        "64M",
                        "--cache-type-k",
                        "q8_0",
                        "--cache-type-v",
                        "q8_0");
        return new Varve(Varve.INSTALLATION, home)
                .serve(Stream.concat(common, Stream.of(more)).toArray());
    }
}
