/**
 * Conversations as all dialects of the API have them. A {@link
 * dev.varve.platform.http.conversation.ApiDialect} reads a body into a {@link
 * dev.varve.platform.http.conversation.ConversationRequest} and writes its answer; what lies
 * between, from template and compression to what the engine is asked, is {@link
 * dev.varve.platform.http.conversation.ConversationPreparer}. Fields that several dialects share
 * are read here.
 */
package dev.varve.platform.http.conversation;
