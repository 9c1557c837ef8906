package dev.varve.platform.cli;

import picocli.CommandLine.Parameters;

import java.util.Optional;

/** A model named by an argument instead of {@code --model}. */
final class ModelParameter {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODEL",
            converter = ModelReference.Converter.class,
            description = "Model, as for --model.")
    private Optional<ModelReference> model = Optional.empty();

    Optional<ModelReference> model() {
        return model;
    }
}
