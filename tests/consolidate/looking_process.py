"""A process that does not own a grimoire, and reads its facts."""

import json
import sys

from bardo._core import FactStore, HotSet, knowledge_gaps

facts = FactStore(sys.argv[1], agent="a", seed=2)
hot = HotSet()
hot.sync_facts(facts)
vector = next(
    (vector for vector in facts.vectors([fact.id for fact in facts.list(status=None)]) if vector is not None),
    None,
)
print(  # noqa: T201
    json.dumps(
        {
            "listed": len(facts.list()),
            "by words": len(facts.search_text(sys.argv[2])),
            "by meaning": 0 if vector is None else len(facts.nearest(vector)),
            "recalled": len(hot.search(sys.argv[2], now_tick=10**10).hits),
            "gaps": len(knowledge_gaps(facts)),
            "held": facts.count_quarantined(),
        }
    )
)
facts.close()
