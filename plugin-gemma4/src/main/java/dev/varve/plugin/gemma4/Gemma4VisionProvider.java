package dev.varve.plugin.gemma4;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageEncoderProvider;

import java.util.Set;

/** Opens {@code gemma4v} and {@code gemma4uv} files, whose images enter Gemma 4 models. */
public final class Gemma4VisionProvider implements ImageEncoderProvider {
    private static final String PATCHES_ALONE = "gemma4uv";

    @Override
    public Set<String> projectorTypes() {
        return Set.of("gemma4v", PATCHES_ALONE);
    }

    @Override
    public ImageEncoder open(GgufFile projector) {
        GgufMetadata keys = projector.metadata();
        String type =
                keys.findString("clip.projector_type")
                        .or(() -> keys.findString("clip.vision.projector_type"))
                        .orElse("");
        return type.equals(PATCHES_ALONE)
                ? Gemma4PatchEncoder.open(projector)
                : Gemma4VisionEncoder.open(projector);
    }
}
