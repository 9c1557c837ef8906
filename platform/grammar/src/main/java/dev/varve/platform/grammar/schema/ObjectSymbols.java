package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * An object as symbols.
 *
 * @param properties those that are declared and may be there, in order
 * @param further kinds of properties that are not declared
 * @param witnesses how many demands the latter have to meet
 * @param least how many properties there must be
 * @param most how many there may be; {@link Integer#MAX_VALUE} for any number
 * @param empty an object without properties
 */
record ObjectSymbols(
        List<Property> properties,
        List<Further> further,
        int witnesses,
        int least,
        int most,
        int empty) {
    /**
     * A declared property.
     *
     * @param first its name as the first one of an object
     * @param next its name behind other properties
     */
    record Property(int first, int next, int value, boolean required) {}

    /**
     * Properties that are not declared.
     *
     * @param first one as the first of an object
     * @param next one behind others
     * @param witnesses numbers of the demands that it meets, as bits
     */
    record Further(int first, int next, int witnesses) {}

    /** Number of properties that must be there. */
    int required() {
        return (int) properties.stream().filter(Property::required).count();
    }

    /** Whether there may be properties that are not declared. */
    boolean isOpen() {
        return !further.isEmpty();
    }
}
