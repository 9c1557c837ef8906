package dev.varve.platform.template;

/** A filter: {@code input | name(arguments)}. */
interface Filter {
    Value apply(RenderContext runtime, Value input, Arguments arguments);
}
