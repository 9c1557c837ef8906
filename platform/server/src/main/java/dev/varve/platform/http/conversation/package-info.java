/**
 * Conversations in all dialects of the API. An {@link
 * dev.varve.platform.http.conversation.ApiDialect} reads a body into a {@link
 * dev.varve.platform.http.conversation.ConversationRequest} and writes its response; the steps
 * between, from template and compression to the engine's request, are in {@link
 * dev.varve.platform.http.conversation.ConversationPreparer}. Fields that several dialects share
 * are read here.
 */
package dev.varve.platform.http.conversation;
