/**
 * Decoder models whose layers are combinations of the same parts: attention, latent attention or a
 * state-space scan, and a dense feed-forward or experts.
 */
module dev.varve.plugin.decoders {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            dev.varve.plugin.decoders.DecoderFamilies;
}
