package dev.varve.platform.cli;

import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.placement.PlacementRequest;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Predicate;

/** Logs notes and warnings about a model while it is opened, and checks the draft's flags. */
class ModelLoadLog implements ModelLoadListener {
    private static final Logger LOG = System.getLogger(PreparedModel.class.getName());

    private final ModelLoadArguments arguments;

    ModelLoadLog(ModelLoadArguments arguments) {
        this.arguments = arguments;
    }

    @Override
    public final void warning(String text) {
        LOG.log(Level.WARNING, text);
    }

    @Override
    public final void note(String text) {
        LOG.log(Level.INFO, text);
    }

    @Override
    public final void resolved(PlacementRequest request, Predicate<String> provided) {
        arguments.checkDraft(request, provided);
    }
}
