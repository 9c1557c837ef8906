package dev.varve.platform.http.conversation;

/** Where the model's turn begins. */
public enum GenerationStart {
    /** Behind the last message. */
    ANSWER,
    /** Inside the last message, which is an assistant's. */
    CONTINUE,
    /** Nowhere: the prompt ends with the last message. */
    NONE
}
