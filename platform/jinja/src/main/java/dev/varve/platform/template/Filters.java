package dev.varve.platform.template;

import java.util.HashMap;
import java.util.Map;

/** All filters by name. */
final class Filters {
    static final Map<String, Filter> ALL = new HashMap<>();

    static {
        TextFilters.register(ALL);
        ListFilters.register(ALL);
        SelectionFilters.register(ALL);
        NumberFilters.register(ALL);
        ALL.put("tojson", JsonFilter::filter);
        ALL.put("default", Filters::fallback);
        ALL.put("d", Filters::fallback);
        ALL.put("attr", Filters::attribute);
    }

    private Filters() {}

    private static Value fallback(RenderContext runtime, Value input, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("default", "default_value", "boolean");
        boolean replace =
                input instanceof Value.Undefined
                        || bound.flag("boolean", false) && !Truthiness.of(input);
        return replace ? bound.find("default_value").orElse(TemplateString.EMPTY) : input;
    }

    private static Value attribute(RenderContext runtime, Value input, Arguments arguments) {
        TemplateString name = arguments.bind("attr", "name").requireString("name");
        if (input instanceof Dict dict) {
            return ContainerMethods.find(runtime, dict, name.text())
                    .orElseGet(() -> new Value.Undefined("dict has no such attribute"));
        }
        return new Attributes(runtime).attribute(input, name.text());
    }
}
