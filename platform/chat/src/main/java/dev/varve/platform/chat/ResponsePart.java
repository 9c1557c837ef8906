package dev.varve.platform.chat;

/**
 * Part of a response: a token, a mark in plain text, or text beside such marks.
 *
 * @param id id of the token or mark; {@link MarkTable#NONE} for text
 * @param text the text; empty for a token or mark
 * @param tokens number of tokens that end here and belong to no mark in plain text
 */
record ResponsePart(int id, String text, int tokens) {
    static ResponsePart ofToken(int id) {
        return new ResponsePart(id, "", 1);
    }

    static ResponsePart ofText(String text, int tokens) {
        return new ResponsePart(MarkTable.NONE, text, tokens);
    }

    boolean isText() {
        return id == MarkTable.NONE;
    }
}
