package dev.varve.platform.cli;

import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The model option of every command that uses one model; the default is a demo model. */
final class ModelOption {
    @Option(
            names = {"-m", "--model"},
            paramLabel = "FILE",
            converter = ModelReference.Converter.class,
            description =
                    "Model file (GGUF), or a demo model such as demo:qwen35 (default: demo:qwen35)."
                            + " Any part of a split model names all of it. See varve models.",
            order = 1)
    private List<ModelReference> files = List.of();

    @Option(
            names = "--hf",
            paramLabel = "OWNER/REPO[:QUANT]",
            converter = ModelReference.RemoteConverter.class,
            description =
                    "Model of a hub, such as Qwen/Qwen3-0.6B-GGUF:Q8_0. The command downloads it"
                        + " first unless it is on this disk; see varve pull. The same as --model"
                        + " hf:OWNER/REPO[:QUANT].",
            order = 1)
    private List<ModelReference> ofHub = List.of();

    @Option(
            names = "--model-url",
            paramLabel = "URL",
            converter = ModelReference.RemoteConverter.class,
            description =
                    "Model file on a web server. The command downloads it first unless it is on"
                            + " this disk.",
            order = 1)
    private List<ModelReference> ofUrls = List.of();

    /** The model that an argument without an option names. */
    private Optional<ModelReference> parameter = Optional.empty();

    /** Adds the model that an argument names. */
    void add(ModelParameter argument) {
        parameter = argument.model();
    }

    /** Whether a model was named. */
    boolean isNamed() {
        return !given().isEmpty();
    }

    /** The argument, values of {@code --model}, then those of the other options. */
    private List<ModelReference> given() {
        return Stream.concat(
                        parameter.stream(), Stream.of(files, ofHub, ofUrls).flatMap(List::stream))
                .toList();
    }

    /** Models that were named, in order; {@code varve serve} accepts several. */
    List<NamedModel> all(Environment environment) {
        return given().stream().map(each -> NamedModel.of(each, environment)).toList();
    }

    /**
     * Returns the model to use: the first that was named, or else the demo model.
     *
     * @throws UsageException if none was named and the demo model is missing
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if the demo model that was named
     *     is missing
     */
    ModelChoice choose(Environment environment) {
        List<ModelReference> given = given();
        if (!given.isEmpty()) {
            return NamedModel.of(given.getFirst(), environment).choice();
        }
        Path file = DemoModel.DEFAULT.file(environment);
        if (!Files.exists(file)) {
            throw new UsageException(
                    "--model: expected a model file, found none, and the installation lacks the"
                            + " demo model "
                            + DemoModel.DEFAULT.reference()
                            + ": no file "
                            + file);
        }
        return new ModelChoice(new ModelReference.OfDemo(DemoModel.DEFAULT), file, false);
    }
}
