package dev.varve.api.model;

/**
 * A tool that a request declares.
 *
 * <p>Implemented by the platform alone. Grows: later versions may add to it, and existing parts
 * stay.
 */
public interface CallableTool {
    /** Name of the tool, not empty. */
    String name();

    /** JSON schema of the arguments, as the client sent it; an empty object if it sent none. */
    String schema();

    /**
     * Returns the JSON of an argument that the model wrote as raw text. The schema decides whether
     * it is a string, a number, a boolean, null, an object or an array; where neither the schema
     * nor the text decides, it is a string.
     *
     * @param key name of the argument
     * @param text the model's text, without markup
     */
    String argument(String key, String text);
}
