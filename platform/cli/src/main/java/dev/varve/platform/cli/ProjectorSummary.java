package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.host.ProjectorFile;
import dev.varve.platform.plugin.PluginCatalog;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Summary of a projector file: its images, or the reason that prevents its use.
 *
 * @param projector the file as its provider reads it
 * @param problem reason that prevents its use
 */
record ProjectorSummary(Optional<ProjectorFile> projector, Optional<String> problem) {
    /** Returns the summary of a file; empty if it is no projector. */
    static Optional<ProjectorSummary> of(GgufFile file, PluginCatalog catalog) {
        if (!file.metadata().findString("general.architecture").orElse("").equals("clip")) {
            return Optional.empty();
        }
        try {
            ProjectorFile projector = ProjectorFile.open(file.path(), catalog);
            return Optional.of(new ProjectorSummary(Optional.of(projector), Optional.empty()));
        } catch (VarveException e) {
            return Optional.of(new ProjectorSummary(Optional.empty(), Optional.of(e.getMessage())));
        }
    }

    /** The summary in a line. */
    String text() {
        return projector
                .map(ProjectorSummary::line)
                .orElseGet(() -> "Image encoder: " + problem.orElseThrow());
    }

    private static String line(ProjectorFile projector) {
        ImageEncoder encoder = projector.encoder();
        return String.format(
                Locale.ROOT,
                "Image encoder: %s for %s with rows of %d elements; images of %d to %d tokens,"
                        + " each of %dx%d pixels",
                projector.type(),
                String.join(", ", architectures(encoder)),
                encoder.width(),
                encoder.input().minTokens(),
                encoder.input().maxTokens(),
                encoder.input().align(),
                encoder.input().align());
    }

    private static List<String> architectures(ImageEncoder encoder) {
        return encoder.architectures().stream().sorted().toList();
    }

    /** Adds the summary to a JSON object. */
    void describe(ObjectNode target) {
        problem.ifPresent(reason -> target.put("problem", reason));
        projector.ifPresent(
                given -> {
                    ImageEncoder encoder = given.encoder();
                    target.put("projector_type", given.type())
                            .put("width", encoder.width())
                            .put("min_tokens", encoder.input().minTokens())
                            .put("max_tokens", encoder.input().maxTokens())
                            .put("token_pixels", encoder.input().align());
                    architectures(encoder).forEach(target.putArray("architectures")::add);
                });
    }
}
