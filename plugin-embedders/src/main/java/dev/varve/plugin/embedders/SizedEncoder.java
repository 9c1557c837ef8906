package dev.varve.plugin.embedders;

import dev.varve.api.model.EncoderHead;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;

/** An encoder whose sizes are read from the keys of its file. */
interface SizedEncoder extends TextEncoder {
    /** Sizes of the encoder. */
    EncoderSizes numbers();

    @Override
    default ModelShape.Sizes sizes() {
        return numbers().sizes();
    }

    @Override
    default int layers() {
        return numbers().layers();
    }

    @Override
    default Pooling pooling() {
        return numbers().pooling();
    }

    @Override
    default EncoderHead head() {
        return numbers().head();
    }
}
