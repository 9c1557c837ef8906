package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Servers of demo models that give the same tokens wherever a prompt is cut. */
final class DemoServer {
    private static final String SMALLEST = "qwen35";

    static final Path MODEL = model(SMALLEST);

    private DemoServer() {}

    private static Path model(String family) {
        return Varve.INSTALLATION.resolve("models/varve-demo-" + family + ".gguf");
    }

    /** Starts the smallest with some more arguments, and waits until it is ready. */
    static Varve.Server start(Varve varve, Object... arguments) throws IOException {
        return startFamily(varve, SMALLEST, arguments);
    }

    /**
     * Starts one with some more arguments, and waits until it is ready.
     *
     * @param family part of the name of the demo model
     */
    static Varve.Server startFamily(Varve varve, String family, Object... arguments)
            throws IOException {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        model(family),
                        "--threads",
                        1,
                        "--cache-ram",
                        "64M",
                        "--cache-type-k",
                        "q8_0",
                        "--cache-type-v",
                        "q8_0");
        return varve.serve(Stream.concat(common, Stream.of(arguments)).toArray());
    }
}
