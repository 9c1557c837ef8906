package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.hub.HubReference;
import dev.varve.platform.hub.PulledModel;

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
    /** A small model that runs on every machine. */
    private static final String SMALL = "Qwen/Qwen3-0.6B-GGUF:Q8_0";

    boolean isDemo() {
        return reference instanceof ModelReference.OfDemo;
    }

    /** Short name for the user. */
    String name() {
        return reference instanceof ModelReference.OfDemo(DemoModel model)
                ? model.reference()
                : ModelSearchPath.id(file);
    }

    /** The draft model that the installation has for it, or that was downloaded with it. */
    Optional<Path> draft(Environment environment) {
        return switch (reference) {
            case ModelReference.OfDemo(DemoModel model) -> model.draft(environment);
            case ModelReference.OfHub(HubReference model) ->
                    ModelDownloads.cache(environment)
                            .find(model)
                            .flatMap(PulledModel::draft)
                            .filter(ModelChoice::isDraft);
            case ModelReference.OfFile _, ModelReference.OfUrl _ -> Optional.empty();
        };
    }

    /**
     * The projector that the installation has for it. Those of other models are only used if named.
     */
    Optional<Path> projector(Environment environment) {
        return reference instanceof ModelReference.OfDemo(DemoModel model)
                ? model.projector(environment)
                : Optional.empty();
    }

    /** Whether a file is a draft model of a kind that Varve runs: other programs have others. */
    private static boolean isDraft(Path file) {
        try {
            return DraftFile.isDraft(GgufFile.open(file).architecture());
        } catch (VarveException e) {
            return false;
        }
    }

    /**
     * Notes that the user should read before judging Varve by the output of this model.
     *
     * @param command as typed, such as {@code varve serve}
     * @return lines for stderr; none for a file that was named
     */
    List<String> notes(String command) {
        return switch (reference) {
            case ModelReference.OfFile _, ModelReference.OfHub _, ModelReference.OfUrl _ ->
                    List.of();
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
                        + " --model model.gguf, or --hf "
                        + SMALL
                        + ", which downloads 0.6 GB; varve models lists the demo models");
    }
}
