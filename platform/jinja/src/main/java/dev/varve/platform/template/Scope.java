package dev.varve.platform.template;

import java.util.HashMap;
import java.util.Map;

/** Variables by name; a variable set here hides outer ones and ends with the scope. */
final class Scope {
    private static final Scope NOTHING = new Scope();

    private final Scope outer;
    private final Map<String, Value> variables;

    private Scope() {
        this.outer = this;
        this.variables = Map.of();
    }

    private Scope(Scope outer, Map<String, Value> variables) {
        this.outer = outer;
        this.variables = variables;
    }

    /** Creates a scope without an outer one, with these variables. */
    static Scope of(Map<String, Value> variables) {
        return new Scope(NOTHING, variables);
    }

    Scope inner() {
        return new Scope(this, new HashMap<>(4));
    }

    void set(String name, Value value) {
        variables.put(name, value);
    }

    Value get(String name) {
        for (Scope scope = this; scope != NOTHING; scope = scope.outer) {
            Value value = scope.variables.get(name);
            if (value != null) {
                return value;
            }
        }
        return new Value.Undefined("'" + name + "' is undefined");
    }
}
