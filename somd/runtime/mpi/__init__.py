"""Several processes that run one program together (ranks): who they are, what they hold, and what they exchange.

Every rank runs the whole program. What a phase writes is computed by one rank each; the others fetch it before they
read it. Nothing here knows how a rank computes its share.
"""
