/** A plugin that somebody else wrote. */
module acme.tiny {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            acme.tiny.TinyFamily;
}
