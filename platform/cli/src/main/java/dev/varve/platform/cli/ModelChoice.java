package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The model that a command uses.
 *
 * @param file the model file
 * @param named whether {@code --model} named it; otherwise it is the default
 */
record ModelChoice(ModelReference reference, Path file, boolean named) {
    boolean isDemo() {
        return reference instanceof ModelReference.OfDemo;
    }

    /** The draft model that the installation has for it. */
    Optional<Path> draft(Environment environment) {
        return reference instanceof ModelReference.OfDemo(DemoModel model)
                ? model.draft(environment)
                : Optional.empty();
    }

    /**
     * Notes that the user should read before judging Varve by the output of this model.
     *
     * @param command as typed, such as {@code varve serve}
     * @return lines for stderr; none for a file that was named
     */
    List<String> notes(String command) {
        return switch (reference) {
            case ModelReference.OfFile _ -> List.of();
            case ModelReference.OfDemo(DemoModel model) -> notes(model, command);
        };
    }

    private List<String> notes(DemoModel model, String command) {
        String size = ModelSummary.count(ModelSummary.parameters(GgufFile.open(file)));
        if (named) {
            return List.of(model.reference() + " is a demo model with " + size + " parameters");
        }
        return List.of(
                "no --model was given: using "
                        + model.reference()
                        + ", a demo model with "
                        + size
                        + " parameters to try Varve; do not expect useful responses",
                "for a real model: "
                        + command
                        + " --model model.gguf; varve models lists the demo models");
    }
}
