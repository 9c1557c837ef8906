package dev.varve.plugin.qwen35;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageEncoderProvider;

import java.util.Set;

/** Opens {@code qwen3vl_merger} files, whose images enter Qwen 3.5 and 3.6 models. */
public final class Qwen3VlProvider implements ImageEncoderProvider {
    @Override
    public Set<String> projectorTypes() {
        return Set.of("qwen3vl_merger");
    }

    @Override
    public ImageEncoder open(GgufFile projector) {
        Qwen3VlSizes sizes = Qwen3VlSizes.read(projector);
        return new Qwen3VlEncoder(sizes, Qwen3VlTensors.select(projector, sizes));
    }
}
