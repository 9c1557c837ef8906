package dev.varve.platform.template;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The object that {@code namespace(...)} creates: the only one whose attributes a template can set.
 */
final class NamespaceObject implements Value {
    private final Map<String, Value> attributes = new LinkedHashMap<>();

    Value get(String name) {
        Value value = attributes.get(name);
        return value != null ? value : new Undefined("namespace has no attribute '" + name + "'");
    }

    void set(String name, Value value) {
        attributes.put(name, value);
    }

    @Override
    public String typeName() {
        return "Namespace";
    }
}
