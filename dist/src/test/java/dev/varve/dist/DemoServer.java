package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Servers of the smallest demo model that give the same tokens wherever a prompt is cut. */
final class DemoServer {
    static final Path MODEL = Varve.INSTALLATION.resolve("models/varve-demo-qwen35.gguf");

    private DemoServer() {}

    /** Starts one with some more arguments, and waits until it is ready. */
    static Varve.Server start(Varve varve, Object... arguments) throws IOException {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        MODEL,
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
