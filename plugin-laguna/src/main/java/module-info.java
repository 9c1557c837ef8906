/** Laguna models: sliding and full attention behind softplus gates, sigmoid-routed experts. */
module dev.varve.plugin.laguna {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            dev.varve.plugin.laguna.LagunaFamily;
}
