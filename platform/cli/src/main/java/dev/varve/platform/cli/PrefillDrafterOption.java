package dev.varve.platform.cli;

import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The option of the prefill drafter, which scores tokens of prompts and pages. */
final class PrefillDrafterOption {
    /** Name of the option. */
    static final String FLAG = "--prefill-drafter";

    /** Reference to the demo drafter. */
    private static final String DEMO = "demo:drafter";

    @Option(
            names = FLAG,
            paramLabel = "FILE",
            description =
                    "Small model that scores prompts, such as demo:drafter. For"
                        + " --prefill-compression and for --kvflash-policy drafter. A qwen3 or"
                        + " qwen35 file, such as Qwen3-0.6B. Its vocabulary may differ from that of"
                        + " the model.",
            order = OptionSections.COMPRESSION + 1)
    private Optional<String> drafter = Optional.empty();

    /** Drafter that was named. */
    Optional<String> named() {
        return drafter;
    }

    /** Returns the file of the drafter; a demo model has a default. */
    static Optional<Path> file(Optional<String> named, Environment environment, boolean isDemo) {
        return named(named, isDemo).map(name -> file(name, environment));
    }

    /** Returns the named drafter, or the default of a demo model. */
    static Optional<String> named(Optional<String> named, boolean isDemo) {
        return named.or(() -> isDemo ? Optional.of(DEMO) : Optional.empty());
    }

    /**
     * Returns the file of a name.
     *
     * @throws UsageException if there is none
     */
    static Path file(String name, Environment environment) {
        if (!name.equals(DEMO)) {
            return ModelReference.parse(name).file(environment);
        }
        Path file = environment.modelsFolder().resolve("varve-demo-drafter.gguf");
        if (!Files.exists(file)) {
            throw new UsageException(
                    FLAG + ": the installation has no " + DEMO + ": no file " + file);
        }
        return file;
    }
}
